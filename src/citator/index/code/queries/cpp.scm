(function_definition declarator: (function_declarator declarator: [
  (identifier) @name
  (field_identifier) @name
  (destructor_name) @name
  (operator_name) @name
  (template_function name: (_) @name)
  (qualified_identifier name: [
    (identifier) @name
    (destructor_name) @name
    (operator_name) @name
    (template_function name: (_) @name)
    (qualified_identifier name: [
      (identifier) @name
      (destructor_name) @name
      (operator_name) @name
      (template_function name: (_) @name)
      (qualified_identifier name: [
        (identifier) @name
        (destructor_name) @name
        (operator_name) @name
      ])
    ])
  ])
])) @function
(function_definition declarator: (_ (function_declarator declarator: [
  (identifier) @name
  (field_identifier) @name
  (operator_name) @name
  (template_function name: (_) @name)
  (qualified_identifier name: [
    (identifier) @name
    (operator_name) @name
    (template_function name: (_) @name)
    (qualified_identifier name: [(identifier) @name (operator_name) @name])
  ])
]))) @function
(class_specifier name: [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier name: [(type_identifier) @name (template_type name: (_) @name)])
] body: (_)) @type
(struct_specifier name: [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier name: [(type_identifier) @name (template_type name: (_) @name)])
] body: (_)) @type
(union_specifier name: [
  (type_identifier) @name
  (template_type name: (_) @name)
  (qualified_identifier name: [(type_identifier) @name (template_type name: (_) @name)])
] body: (_)) @type
(enum_specifier name: [(type_identifier) @name (qualified_identifier name: (_) @name)] body: (_)) @type
(namespace_definition name: (_) @name) @type
(alias_declaration name: (type_identifier) @name) @type
(preproc_def name: (identifier) @name) @value
(preproc_function_def name: (identifier) @name) @function
(preproc_include path: (_) @import)
(call_expression function: (identifier) @call)
(call_expression function: (template_function name: (identifier) @call))
(call_expression function: (field_expression field: [
  (field_identifier) @call
  (template_method name: (field_identifier) @call)
]))
(call_expression function: (qualified_identifier name: [
  (identifier) @call
  (template_function name: (identifier) @call)
  (qualified_identifier name: (identifier) @call)
]))
(comment) @prose
(string_literal) @string
(raw_string_literal) @string
