; What C and C++ share, behind what is their own.

(union_specifier name: (_) @name body: (_) @body) @def.union
(enum_specifier name: (_) @name body: (_) @body) @def.enum
(enumerator name: (_) @name) @def.variant
(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: [
      (type_identifier) @name
      (function_declarator
        declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
    ])
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: [
      (type_identifier) @name
      (parenthesized_declarator [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name)])
    ])
  ]) @def.type
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.union
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.enum
(field_declaration
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: [
      (field_identifier) @name
      (pointer_declarator declarator: (field_identifier) @name)
      (function_declarator
        declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
    ])
    (array_declarator declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name)])
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
  ]) @def.field

(preproc_def name: (_) @name) @def.macro
(preproc_function_def name: (_) @name value: (_)? @body) @def.macro
(preproc_include path: (_) @name) @def.use

;; ---- starting at most 2 deep ----

; Variables of the file, inside a header's guard too.
(declaration
  declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (init_declarator declarator: [
      (identifier) @name
      (pointer_declarator declarator: (identifier) @name)
      (array_declarator declarator: (identifier) @name)
    ])
  ]) @def.var
