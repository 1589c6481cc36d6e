(package_clause name: (_) @name) @def.package
(import_declaration) @name @def.use

(class_definition (modifiers)? @vis name: (_) @name body: (_)? @body) @def.class
(object_definition (modifiers)? @vis name: (_) @name body: (_)? @body) @def.object
(package_object name: (_) @name body: (_)? @body) @def.object
(trait_definition (modifiers)? @vis name: (_) @name body: (_)? @body) @def.trait
(enum_definition (modifiers)? @vis name: (_) @name body: (_)? @body) @def.enum
(simple_enum_case name: (_) @name) @def.variant
(full_enum_case name: (_) @name) @def.variant
(type_definition (modifiers)? @vis name: (_) @name) @def.type

(function_definition (modifiers)? @vis name: (_) @name body: (_)? @body) @def.fn
(function_declaration (modifiers)? @vis name: (_) @name) @def.fn
((function_definition (modifiers)? @vis name: (_) @name body: (_)? @body) @def.constructor
  (#eq? @name "this"))
(given_definition (modifiers)? @vis name: (_) @name body: (_)? @body) @def.instance
; Anonymous: called by what it gives.
(given_definition (modifiers)? @vis !name return_type: (_) @name body: (_)? @body) @def.instance
(extension_definition parameters: (parameters . (parameter type: [(generic_type type: (_) @name) (type_identifier) @name])) body: (_) @body) @def.extension

; Values of types and files; those of blocks are local and left out.
(compilation_unit (val_definition (modifiers)? @vis pattern: (identifier) @name) @def.const)
(compilation_unit (var_definition (modifiers)? @vis pattern: (identifier) @name) @def.var)
(template_body (val_definition (modifiers)? @vis pattern: (identifier) @name) @def.property)
(template_body (var_definition (modifiers)? @vis pattern: (identifier) @name) @def.property)
(template_body (val_definition (modifiers)? @vis pattern: (tuple_pattern (identifier) @name)) @def.property)
(with_template_body (val_definition (modifiers)? @vis pattern: (identifier) @name) @def.property)
(enum_body (val_definition (modifiers)? @vis pattern: (identifier) @name) @def.property)
(val_declaration (modifiers)? @vis name: (identifier) @name) @def.property
(var_declaration (modifiers)? @vis name: (identifier) @name) @def.property
