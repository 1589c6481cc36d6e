(header module: (module) @name) @def.package
(import module: (module) @name) @def.use

; Types. A sum type is an enum whose constructors are its variants.
(data_type name: (_) @name constructors: (_)? @body) @def.enum
(data_type (infix operator: (_) @name) constructors: (_)? @body) @def.enum
(newtype name: (_) @name constructor: (_) @body) @def.struct
(type_synomym name: (_) @name) @def.type
(type_family name: (_) @name closed_family: (_)? @body) @def.type
(data_family name: (_) @name) @def.type
(data_constructor constructor: [(record name: (_) @name) (prefix name: (_) @name) (infix operator: (_) @name)]) @def.variant
(gadt_constructor name: (_) @name) @def.variant
(gadt_constructor names: (binding_list name: (_) @name)) @def.variant
(newtype_constructor name: (_) @name) @def.variant
(field name: (field_name (variable) @name)) @def.field
(pattern_synonym (equation synonym: (apply function: (constructor) @name))) @def.fn

(class name: (_) @name declarations: (_)? @body) @def.class
(instance name: (_) @name declarations: (_)? @body) @def.instance
(deriving_instance name: (_) @name) @def.instance

; Functions of modules, classes and instances; those after `where` and `let` are local and left out.
(declarations [
  (signature name: [(variable) @name (prefix_id (_) @name)])
  (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body)
  (function (infix operator: [(operator) @name (infix_id (_) @name)]) match: (_) @body)
  (bind name: [(variable) @name (prefix_id (_) @name)] match: (_) @body)
  (foreign_import signature: (signature name: (variable) @name))
] @def.fn)
(class_declarations declaration: [
  (signature name: [(variable) @name (prefix_id (_) @name)])
  (signature names: (binding_list name: [(variable) @name (prefix_id (_) @name)]))
  (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body)
  (function (infix operator: [(operator) @name (infix_id (_) @name)]) match: (_) @body)
  (bind name: [(variable) @name (prefix_id (_) @name)] match: (_) @body)
] @def.fn)
(instance_declarations declaration: [
  (signature name: [(variable) @name (prefix_id (_) @name)])
  (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body)
  (function (infix operator: [(operator) @name (infix_id (_) @name)]) match: (_) @body)
  (bind name: [(variable) @name (prefix_id (_) @name)] match: (_) @body)
] @def.fn)
