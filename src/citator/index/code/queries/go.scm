(function_declaration name: (identifier) @name) @function
(method_declaration name: (field_identifier) @name) @function
(type_spec name: (type_identifier) @name) @type
(const_spec name: (identifier) @name) @value
(source_file (var_declaration (var_spec name: (identifier) @name) @value))
(import_spec path: (_) @import)
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call))
(comment) @prose
(interpreted_string_literal) @string
(raw_string_literal) @string
