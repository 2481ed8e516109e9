(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(macro_definition name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @type
(enum_item name: (type_identifier) @name) @type
(union_item name: (type_identifier) @name) @type
(trait_item name: (type_identifier) @name) @type
(type_item name: (type_identifier) @name) @type
(impl_item type: (_) @name) @type
(mod_item name: (identifier) @name body: (_)) @type
(const_item name: (identifier) @name) @value
(static_item name: (identifier) @name) @value
(use_declaration argument: (_) @import)
(mod_item name: (identifier) @import !body)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (scoped_identifier name: (identifier) @call))
(macro_invocation macro: (identifier) @call)
(line_comment) @prose
(block_comment) @prose
(string_literal) @string
(raw_string_literal) @string
