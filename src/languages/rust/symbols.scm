; Functions, free or inside an impl or a trait.
(function_item (visibility_modifier)? @vis name: (_) @name body: (_) @body) @def.fn
(function_signature_item (visibility_modifier)? @vis name: (_) @name) @def.fn

; Types.
(struct_item (visibility_modifier)? @vis name: (_) @name body: (field_declaration_list)? @body) @def.struct
(union_item (visibility_modifier)? @vis name: (_) @name body: (_) @body) @def.union
(enum_item (visibility_modifier)? @vis name: (_) @name body: (_) @body) @def.enum
(enum_variant name: (_) @name) @def.variant
(field_declaration (visibility_modifier)? @vis name: (_) @name) @def.field
(trait_item (visibility_modifier)? @vis name: (_) @name body: (_) @body) @def.trait
(type_item (visibility_modifier)? @vis name: (_) @name) @def.type
(associated_type name: (_) @name) @def.type

; An impl is named after its type, without type arguments.
(impl_item
  type: [
    (generic_type type: (type_identifier) @name)
    (generic_type type: (scoped_type_identifier name: (_) @name))
    (type_identifier) @name
    (scoped_type_identifier name: (_) @name)
    (reference_type) @name
    (primitive_type) @name
    (tuple_type) @name
    (array_type) @name
    (pointer_type) @name
    (function_type) @name
    (dynamic_type) @name
    (unit_type) @name
  ]
  body: (_) @body) @def.impl

; Modules, values, macros, imports.
(mod_item (visibility_modifier)? @vis name: (_) @name body: (_)? @body) @def.module
(const_item (visibility_modifier)? @vis name: (_) @name) @def.const
(static_item (visibility_modifier)? @vis name: (_) @name) @def.var
(macro_definition name: (_) @name . (macro_rule)? @body) @def.macro
(use_declaration (visibility_modifier)? @vis argument: (_) @name) @def.use
(extern_crate_declaration (visibility_modifier)? @vis name: (_) @name) @def.use
