(library_import (import_specification (configurable_uri (uri) @name))) @def.use
(library_export (configurable_uri (uri) @name)) @def.use
(part_directive (uri) @name) @def.use

(class_definition name: (_) @name body: (_)? @body) @def.class
(class_definition (mixin_application_class . (identifier) @name)) @def.class
(mixin_declaration (identifier) @name (class_body) @body) @def.trait
(extension_declaration name: (_) @name body: (_) @body) @def.extension
; Without a name of its own it is called by the type it extends.
(extension_declaration !name class: (_) @name body: (_) @body) @def.extension
(extension_type_declaration name: (_) @name body: (_)? @body) @def.class
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(enum_constant name: (_) @name) @def.variant
(type_alias (type_identifier) @name . (type_parameters)? . "=") @def.type
(type_alias (type_identifier) @name . (type_parameters)? . (formal_parameter_list)) @def.type

; A body stands beside its signature.
(program (function_signature name: (_) @name) @def.fn . (function_body) @body)
(program [(getter_signature name: (_) @name) (setter_signature name: (_) @name)] @def.property . (function_body) @body)
((method_signature [
    (function_signature name: (_) @name)
    (operator_signature [(binary_operator) "[]" "[]=" "=="] @name)
  ]) @def.method . (function_body) @body)
((method_signature [(getter_signature name: (_) @name) (setter_signature name: (_) @name)]) @def.property . (function_body) @body)
(declaration (function_signature name: (_) @name)) @def.method
(declaration [(getter_signature name: (_) @name) (setter_signature name: (_) @name)]) @def.property

; Constructors: `Order(…)` by the name of the class, `Order.named(…)` by their own.
(method_signature [
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (constant_constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
]) @def.constructor
((method_signature [
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (constant_constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
]) @def.constructor . (function_body) @body)
(declaration [
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (constant_constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
  (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))
]) @def.constructor

(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @def.field
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @def.field
; At the top a declaration is a row of siblings: it begins with its keyword or type.
(program [(const_builtin) (final_builtin)] @def.const . (_)? . (type_arguments)? . (static_final_declaration_list (static_final_declaration . (identifier) @name)) @last)
(program [(inferred_type) (final_builtin) (type_identifier)] @def.var . (type_arguments)? . (nullable_type)? . (initialized_identifier_list (initialized_identifier . (identifier) @name)) @last)
(program (static_final_declaration_list (static_final_declaration . (identifier) @name) @def.const))
(program (initialized_identifier_list (initialized_identifier . (identifier) @name) @def.var))
