(class_declaration name: (_) @name) @type
(abstract_class_declaration name: (_) @name) @type
(interface_declaration name: (_) @name) @type
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @type
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(method_definition name: (_) @name) @function
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function
(program (lexical_declaration (variable_declarator name: (identifier) @name) @value))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @value)))
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (property_identifier) @call))
(comment) @prose
(string) @string
(template_string) @string
