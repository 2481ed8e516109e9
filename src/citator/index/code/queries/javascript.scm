(class_declaration name: (_) @name) @type
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(method_definition name: (_) @name) @function
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function
(program (lexical_declaration (variable_declarator name: (identifier) @name) @value))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @value)))
(assignment_expression left: (member_expression property: (property_identifier) @name) right: [(function_expression) (arrow_function)]) @function
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (identifier) @_f arguments: (arguments . (string) @import) (#eq? @_f "require"))
(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (property_identifier) @call))
(comment) @prose
(string) @string
(template_string) @string
