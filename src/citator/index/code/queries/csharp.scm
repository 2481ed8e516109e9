(class_declaration name: (identifier) @name) @type
(struct_declaration name: (identifier) @name) @type
(interface_declaration name: (identifier) @name) @type
(enum_declaration name: (identifier) @name) @type
(record_declaration name: (identifier) @name) @type
(delegate_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @function
(constructor_declaration name: (identifier) @name) @function
(local_function_statement name: (identifier) @name) @function
(property_declaration name: (identifier) @name) @value
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @value
(using_directive (_) @import)
(invocation_expression function: [
  (identifier) @call
  (generic_name . (identifier) @call)
  (member_access_expression name: [(identifier) @call (generic_name . (identifier) @call)])
])
(object_creation_expression type: [(identifier) @call (generic_name . (identifier) @call)])
(comment) @prose
(string_literal) @string
(verbatim_string_literal) @string
(interpolated_string_expression) @string
