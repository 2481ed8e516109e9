(class_declaration name: (identifier) @name) @type
(interface_declaration name: (identifier) @name) @type
(enum_declaration name: (identifier) @name) @type
(record_declaration name: (identifier) @name) @type
(annotation_type_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @function
(constructor_declaration name: (identifier) @name) @function
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @value
(import_declaration (scoped_identifier) @import)
(method_invocation name: (identifier) @call)
(object_creation_expression type: [(type_identifier) @call (generic_type . (type_identifier) @call)])
(line_comment) @prose
(block_comment) @prose
(string_literal) @string
