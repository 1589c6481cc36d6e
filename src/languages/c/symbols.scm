; Functions and prototypes. A pointer result wraps the declarator.
(function_definition
  declarator: [
    (function_declarator declarator: [(identifier) @name (parenthesized_declarator (identifier) @name)])
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  ]
  body: (_) @body) @def.fn
(declaration
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  ]) @def.fn

; Types. A typedef of a nameless type gives it its name.
(struct_specifier name: (_) @name body: (_) @body) @def.struct
