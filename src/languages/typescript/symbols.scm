; `export` and `declare` belong to what they stand before.
(export_statement declaration: (_) @inner) @outer
(export_statement value: (_) @inner) @outer
(ambient_declaration (_) @inner .) @outer

; Functions, with their overloads.
(function_declaration name: (_) @name body: (_) @body) @def.fn
(generator_function_declaration name: (_) @name body: (_) @body) @def.fn
(function_signature name: (_) @name) @def.fn

; Classes.
(class_declaration name: (_) @name body: (_) @body) @def.class
(abstract_class_declaration name: (_) @name body: (_) @body) @def.class
(class_body (method_definition (accessibility_modifier)? @vis name: (_) @name body: (_) @body) @def.method)
(method_definition name: (property_identifier) @name body: (_) @body (#eq? @name "constructor")) @def.constructor
(class_body (method_signature (accessibility_modifier)? @vis name: (_) @name) @def.method)
(abstract_method_signature (accessibility_modifier)? @vis name: (_) @name) @def.method
(public_field_definition (accessibility_modifier)? @vis name: (_) @name) @def.field
; A parameter of the constructor that is a property, too.
(required_parameter (accessibility_modifier) @vis pattern: (identifier) @name) @def.property
(optional_parameter (accessibility_modifier) @vis pattern: (identifier) @name) @def.property
(required_parameter . "readonly" @vis pattern: (identifier) @name) @def.property
(optional_parameter . "readonly" @vis pattern: (identifier) @name) @def.property
(public_field_definition (accessibility_modifier)? @vis name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method

; Interfaces, type aliases, enums, namespaces.
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(interface_body (property_signature name: (_) @name) @def.property)
(interface_body (method_signature name: (_) @name) @def.method)
(type_alias_declaration name: (_) @name) @def.type
(object_type (property_signature name: (_) @name) @def.property)
(object_type (method_signature name: (_) @name) @def.method)
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(enum_body name: (_) @name @def.variant)
(enum_body (enum_assignment name: (_) @name) @def.variant)
(internal_module name: (_) @name body: (_) @body) @def.namespace
(ambient_declaration "global" @name (statement_block) @body) @def.namespace
(module name: (_) @name body: (_) @body) @def.module
; Values of a namespace.
(internal_module (statement_block (lexical_declaration (variable_declarator name: (identifier) @name)) @def.const))
(internal_module (statement_block (export_statement
  (lexical_declaration (variable_declarator name: (identifier) @name)) @def.const)))
(internal_module (statement_block (export_statement
  (lexical_declaration (variable_declarator name: (identifier) @name value: (arrow_function body: (_) @body))) @def.fn)))

; Values that are declared only.
(ambient_declaration (lexical_declaration "const" (variable_declarator name: (identifier) @name)) @def.const)
(ambient_declaration (_ (variable_declarator name: (identifier) @name)) @def.var)

; `import x = require("y")`.
(import_statement (import_require_clause source: (_) @name)) @def.use
