(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function
(struct_specifier name: (type_identifier) @name body: (_)) @type
(union_specifier name: (type_identifier) @name body: (_)) @type
(enum_specifier name: (type_identifier) @name body: (_)) @type
(type_definition declarator: (type_identifier) @name) @type
(preproc_def name: (identifier) @name) @value
(preproc_function_def name: (identifier) @name) @function
(preproc_include path: (_) @import)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(comment) @prose
(string_literal) @string
