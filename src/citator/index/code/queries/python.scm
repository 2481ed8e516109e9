(class_definition name: (identifier) @name) @type
(function_definition name: (identifier) @name) @function
(module (expression_statement (assignment left: (identifier) @name)) @value)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @value))
(import_statement) @import
(import_from_statement) @import
(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call))
(module . (comment)* . (expression_statement (string) @prose))
(function_definition body: (block . (expression_statement (string) @prose)))
(class_definition body: (block . (expression_statement (string) @prose)))
(comment) @prose
(string) @string
