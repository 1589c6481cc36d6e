(package_clause (package_identifier) @name) @def.package
(import_spec path: (_) @name) @def.use

(function_declaration name: (_) @name body: (_)? @body) @def.fn
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @scope
    (generic_type type: (_) @scope)
    (pointer_type [(type_identifier) @scope (generic_type type: (_) @scope)])
  ]))
  name: (_) @name body: (_)? @body) @def.method

; `type X …` is the symbol where it declares one type; in a group each line is.
(type_declaration (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @def.struct)
(type_declaration . (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @def.struct .) @outer
(type_declaration (type_spec name: (_) @name type: (interface_type "{" @body)) @def.interface)
(type_declaration . (type_spec name: (_) @name type: (interface_type "{" @body)) @def.interface .) @outer
(type_declaration (type_spec name: (_) @name) @def.type)
(type_declaration . (type_spec name: (_) @name) @def.type .) @outer
(type_declaration (type_alias name: (_) @name) @def.type)
(type_declaration . (type_alias name: (_) @name) @def.type .) @outer
(type_spec type: (struct_type (field_declaration_list (field_declaration name: (_) @name) @def.field)))
(type_spec type: (interface_type (method_elem name: (_) @name) @def.method))

;; ---- starting at most 1 deep ----

(const_declaration (const_spec (identifier) @name) @def.const)
(const_declaration . (const_spec (identifier) @name) @def.const .) @outer
(var_declaration (var_spec (identifier) @name) @def.var)
(var_declaration . (var_spec (identifier) @name) @def.var .) @outer
(var_declaration (var_spec_list (var_spec (identifier) @name) @def.var))
