(class_declaration name: (identifier) @name) @type
(object_declaration name: (identifier) @name) @type
(type_alias type: (identifier) @name) @type
(function_declaration name: (identifier) @name) @function
(source_file (property_declaration (variable_declaration (identifier) @name)) @value)
(import (qualified_identifier) @import)
(call_expression (identifier) @call)
(call_expression (navigation_expression (identifier) @call .))
(line_comment) @prose
(block_comment) @prose
(string_literal) @string
