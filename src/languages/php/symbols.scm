(namespace_definition name: (_) @name body: (_)? @body) @def.namespace
(namespace_use_declaration (namespace_use_clause [(qualified_name) (name)] @name)) @def.use
; `use Foo\{A, B}` as it is written.
(namespace_use_declaration body: (namespace_use_group)) @name @def.use

(class_declaration name: (_) @name body: (_) @body) @def.class
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(trait_declaration name: (_) @name body: (_) @body) @def.trait
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(enum_case name: (_) @name) @def.variant

(function_definition name: (_) @name body: (_) @body) @def.fn
(method_declaration (visibility_modifier)? @vis name: (_) @name body: (_)? @body) @def.method
((method_declaration (visibility_modifier)? @vis name: (_) @name body: (_)? @body) @def.constructor
  (#eq? @name "__construct"))

(const_declaration (visibility_modifier)? @vis (const_element . (name) @name)) @def.const
((function_call_expression function: (name) @_define arguments: (arguments . (argument (string (string_content) @name)))) @def.const
  (#eq? @_define "define"))
(property_declaration (visibility_modifier)? @vis (property_element name: (variable_name (name) @name))) @def.property
(property_promotion_parameter visibility: (_) @vis name: (variable_name (name) @name)) @def.property
