; Names.
(identifier) @ref
(type_identifier) @ref
(package_identifier) @ref
(selector_expression operand: (_) @recv field: (field_identifier) @member)
(qualified_type package: (_) @recv name: (_) @member)
; Keys of maps and arrays are names like any other, those of the rest are fields.
(composite_literal
  type: [(type_identifier) (qualified_type) (generic_type) (struct_type)]
  body: (literal_value (keyed_element . (literal_element (identifier) @key))))
(literal_element (literal_value (keyed_element . (literal_element (identifier) @key))))

; What literals must be.
(composite_literal type: (_) @type body: (literal_value) @literal)
(literal_element (literal_value) @literal @item)

; An embedded type hands its members on.
(field_declaration !name type: (type_identifier) @extends)
(field_declaration !name type: (qualified_type) @extends)
(field_declaration !name type: (pointer_type (type_identifier) @extends))
(type_elem (type_identifier) @extends)

; Scopes.
[(function_declaration) (method_declaration) (func_literal)] @fn
[(block) (for_statement) (if_statement) (expression_switch_statement) (type_switch_statement) (communication_case)] @scope

; Locals.
(parameter_declaration name: (identifier) @local type: (_) @type)
(variadic_parameter_declaration name: (identifier) @local type: (_) @type)
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (_) @value))
(short_var_declaration left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local type: (_) @type)
(var_spec name: (identifier) @local value: (expression_list . (_) @value))
(const_spec name: (identifier) @local)
(receive_statement left: (expression_list . (identifier) @local))
(range_clause left: (expression_list (identifier) (identifier) @local) right: (_) @item)
(range_clause left: (expression_list (identifier) @local))
(type_switch_statement alias: (expression_list (identifier) @local))
(type_parameter_declaration name: (identifier) @local)

; What fields are, and what calls give.
(field_declaration name: (field_identifier) @field type: (_) @type)
(field_declaration !name type: (type_identifier) @field @type)
(field_declaration !name type: (pointer_type (type_identifier) @field @type))
(field_declaration !name type: (qualified_type name: (_) @field) @type)
(type_spec name: (_) @result type: [(slice_type) (array_type) (map_type)] @type)
(type_alias name: (_) @result type: (_) @type)
(function_declaration name: (identifier) @result result: (_) @type)
(method_declaration name: (field_identifier) @result result: (_) @type)
(method_elem name: (field_identifier) @result result: (_) @type)

; Imports.
(import_spec) @import
