; A template is part of what it makes generic.
(template_declaration (_) @inner .) @outer

; Functions: free, qualified (`Foo::bar`) and in a class. A pointer or reference result wraps the declarator.
(function_definition
  declarator: [
      (function_declarator declarator: [
        (identifier) @name (field_identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)
        (qualified_identifier scope: (_) @scope name: [
          (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)
          (qualified_identifier scope: (_) @scope name: [
            (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)
            (qualified_identifier scope: (_) @scope name: [(identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)])
          ])
        ])
      ])
    (pointer_declarator declarator: (function_declarator declarator: [
        (identifier) @name (field_identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)
        (qualified_identifier scope: (_) @scope name: [
          (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)
          (qualified_identifier scope: (_) @scope name: [
            (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)
            (qualified_identifier scope: (_) @scope name: [(identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)])
          ])
        ])
      ]))
    (reference_declarator (function_declarator declarator: [
        (identifier) @name (field_identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)
        (qualified_identifier scope: (_) @scope name: [
          (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)
          (qualified_identifier scope: (_) @scope name: [
            (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)
            (qualified_identifier scope: (_) @scope name: [(identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (_) @name)])
          ])
        ])
      ]))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) @name (field_identifier) @name (operator_name) @name])))
    (operator_cast "operator" @name)
    (qualified_identifier scope: (_) @scope name: (operator_cast "operator" @name))
  ]
  body: (_)? @body) @def.fn

; Prototypes, and the members that a class declares.
(declaration
  declarator: [
    (function_declarator declarator: [(identifier) @name (field_identifier) @name (operator_name) @name])
    (function_declarator declarator: (destructor_name) @name)
    (pointer_declarator declarator: (function_declarator declarator: [(identifier) @name (field_identifier) @name (operator_name) @name]))
    (reference_declarator (function_declarator declarator: [(identifier) @name (field_identifier) @name (operator_name) @name]))
    (operator_cast "operator" @name)
  ]) @def.fn
(field_declaration
  declarator: [
    (function_declarator declarator: [(identifier) @name (field_identifier) @name (operator_name) @name])
    (pointer_declarator declarator: (function_declarator declarator: [(identifier) @name (field_identifier) @name (operator_name) @name]))
    (reference_declarator (function_declarator declarator: [(identifier) @name (field_identifier) @name (operator_name) @name]))
  ]) @def.fn

; Types and namespaces. A typedef of a nameless type gives it its name.
(class_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier name: (_) @name)] body: (_) @body) @def.class
(struct_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier name: (_) @name)] body: (_) @body) @def.struct
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @def.field
(alias_declaration name: (_) @name) @def.type
(concept_definition name: (_) @name) @def.type
(namespace_definition name: (_) @name body: (_) @body) @def.namespace
(namespace_alias_definition name: (_) @name) @def.type
(using_declaration [(qualified_identifier) (identifier)] @name) @def.use

; Variables of a namespace.
(declaration_list
  (declaration declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (init_declarator declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  ]) @def.var)
