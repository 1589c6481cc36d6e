(using_directive [(qualified_name) (identifier)] @name .) @def.use
(namespace_declaration name: (_) @name body: (_) @body) @def.namespace
(file_scoped_namespace_declaration name: (_) @name) @def.namespace

(class_declaration name: (_) @name body: (_)? @body) @def.class
(struct_declaration name: (_) @name body: (_)? @body) @def.struct
(record_declaration name: (_) @name body: (_)? @body) @def.record
(interface_declaration name: (_) @name body: (_)? @body) @def.interface
(enum_declaration name: (_) @name body: (_)? @body) @def.enum
(enum_member_declaration name: (_) @name) @def.variant
(delegate_declaration name: (_) @name) @def.type

(method_declaration name: (_) @name body: (_)? @body) @def.method
(constructor_declaration name: (_) @name body: (_)? @body) @def.constructor
(destructor_declaration name: (_) @name body: (_)? @body) @def.method
(operator_declaration operator: _ @name body: (_)? @body) @def.method
(local_function_statement name: (_) @name body: (_)? @body) @def.fn
(property_declaration name: (_) @name accessors: (_)? @body value: (_)? @body) @def.property
(indexer_declaration "this" @name accessors: (_)? @body) @def.property
(event_declaration name: (_) @name accessors: (_)? @body) @def.property
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @def.field
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @def.field
