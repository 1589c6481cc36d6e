(package_declaration [(scoped_identifier) (identifier)] @name) @def.package
(import_declaration [(scoped_identifier) (identifier)] @name) @def.use

(class_declaration name: (_) @name body: (_) @body) @def.class
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(annotation_type_declaration name: (_) @name body: (_) @body) @def.interface
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(enum_constant name: (_) @name) @def.variant
(record_declaration name: (_) @name body: (_) @body) @def.record
(record_declaration parameters: (formal_parameters (formal_parameter name: (_) @name) @def.field))

(method_declaration name: (_) @name body: (_)? @body) @def.method
(constructor_declaration name: (_) @name body: (_) @body) @def.constructor
(compact_constructor_declaration name: (_) @name body: (_) @body) @def.constructor
(annotation_type_element_declaration name: (_) @name) @def.method
(field_declaration declarator: (variable_declarator name: (_) @name)) @def.field
(constant_declaration declarator: (variable_declarator name: (_) @name)) @def.const
