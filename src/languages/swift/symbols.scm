(import_declaration (identifier) @name) @def.use

; Types share one node; the keyword tells them apart.
(class_declaration (modifiers)? @vis declaration_kind: "class" name: (_) @name body: (_) @body) @def.class
(class_declaration (modifiers)? @vis declaration_kind: "actor" name: (_) @name body: (_) @body) @def.class
(class_declaration (modifiers)? @vis declaration_kind: "struct" name: (_) @name body: (_) @body) @def.struct
(class_declaration (modifiers)? @vis declaration_kind: "enum" name: (_) @name body: (_) @body) @def.enum
(class_declaration (modifiers)? @vis declaration_kind: "extension" name: (_) @name body: (_) @body) @def.extension
(protocol_declaration (modifiers)? @vis name: (_) @name body: (_) @body) @def.protocol
(typealias_declaration (modifiers)? @vis name: (type_identifier) @name) @def.type
(associatedtype_declaration name: (_) @name) @def.type
(enum_entry name: (_) @name) @def.variant

; Functions. A name may be an operator. The parent is a wildcard because compiling the query takes seconds when the
; library has to find out what else a `function_declaration` may hold.
(_ (modifiers) @vis . "func" . name: _ @name body: (function_body)? @body) @def.fn
(_ "func" . name: _ @name body: (function_body)? @body) @def.fn
(_ (modifiers)? @vis "init" @name body: (function_body) @body) @def.constructor
(protocol_function_declaration (modifiers)? @vis name: "init" @name) @def.constructor
(deinit_declaration "deinit" @name body: (_) @body) @def.method
(subscript_declaration (modifiers)? @vis "subscript" @name (computed_property)? @body) @def.method
(operator_declaration (custom_operator) @name) @def.fn

; Properties; those of functions are local and left out.
(source_file (property_declaration (modifiers)? @vis (value_binding_pattern mutability: "let") name: (pattern bound_identifier: (_) @name)) @def.const)
(source_file (property_declaration (modifiers)? @vis (value_binding_pattern mutability: "var") name: (pattern bound_identifier: (_) @name) computed_value: (_)? @body) @def.var)
(class_body (property_declaration (modifiers)? @vis name: (pattern bound_identifier: (_) @name) computed_value: (_)? @body) @def.property)
(enum_class_body (property_declaration (modifiers)? @vis name: (pattern bound_identifier: (_) @name) computed_value: (_)? @body) @def.property)
(protocol_property_declaration (modifiers)? @vis name: (pattern bound_identifier: (_) @name)) @def.property
