(class_declaration name: (name) @name) @type
(interface_declaration name: (name) @name) @type
(trait_declaration name: (name) @name) @type
(enum_declaration name: (name) @name) @type
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @function
(const_element (name) @name) @value
(namespace_use_clause (qualified_name) @import)
(include_expression (_) @import)
(require_expression (_) @import)
(require_once_expression (_) @import)
(function_call_expression function: (name) @call)
(member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(comment) @prose
(string) @string
(encapsed_string) @string
