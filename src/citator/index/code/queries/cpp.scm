(function_definition declarator: (function_declarator declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name)) @function
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (_) @name))) @function
(function_definition declarator: (_ (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))) @function
(function_definition declarator: (_ (function_declarator declarator: (qualified_identifier name: (_) @name)))) @function
(class_specifier name: (_) @name body: (_)) @type
(struct_specifier name: (_) @name body: (_)) @type
(union_specifier name: (_) @name body: (_)) @type
(enum_specifier name: (_) @name body: (_)) @type
(namespace_definition name: (_) @name) @type
(alias_declaration name: (type_identifier) @name) @type
(preproc_def name: (identifier) @name) @value
(preproc_function_def name: (identifier) @name) @function
(preproc_include path: (_) @import)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (qualified_identifier name: (identifier) @call))
(comment) @prose
(string_literal) @string
(raw_string_literal) @string
