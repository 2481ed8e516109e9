(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(macro_definition name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @type
(enum_item name: (type_identifier) @name) @type
(union_item name: (type_identifier) @name) @type
(trait_item name: (type_identifier) @name) @type
(type_item name: (type_identifier) @name) @type
(impl_item type: [
  (type_identifier) @name
  (primitive_type) @name
  (scoped_type_identifier name: (_) @name)
  (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (_) @name)])
  (reference_type type: [(type_identifier) @name (generic_type type: (type_identifier) @name)])
  (dynamic_type trait: [(type_identifier) @name (generic_type type: (type_identifier) @name)])
]) @type
(mod_item name: (identifier) @name body: (_)) @type
(const_item name: (identifier) @name) @value
(static_item name: (identifier) @name) @value
(use_declaration argument: (_) @import)
(mod_item name: (identifier) @import !body)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (scoped_identifier name: (identifier) @call))
(call_expression function: (generic_function function: [
  (identifier) @call
  (scoped_identifier name: (identifier) @call)
  (field_expression field: (field_identifier) @call)
]))
(macro_invocation macro: (identifier) @call)
(line_comment) @prose
(block_comment) @prose
(string_literal) @string
(raw_string_literal) @string
