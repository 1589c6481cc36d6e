; Names.
(identifier) @ref
(type_identifier) @ref
(field_expression value: (_) @recv field: (field_identifier) @member)
(scoped_identifier path: (_) @recv name: (identifier) @member)
(scoped_type_identifier path: (_) @recv name: (type_identifier) @member)
(struct_expression name: (_) @type body: (field_initializer_list) @literal)
(field_initializer field: (field_identifier) @key)
(shorthand_field_initializer (identifier) @ref @key)
(struct_pattern type: (_) @type) @literal
(field_pattern name: [(field_identifier) (shorthand_field_identifier)] @key)
(macro_invocation macro: (identifier) @call)

; Supertypes: a trait's bounds, and what an `impl` says of its type.
(trait_item bounds: (trait_bounds (type_identifier) @extends))
(trait_item bounds: (trait_bounds (scoped_type_identifier) @extends))
(trait_item bounds: (trait_bounds (generic_type type: (type_identifier) @extends)))
(impl_item trait: (type_identifier) @implements)
(impl_item trait: (scoped_type_identifier) @implements)
(impl_item trait: (generic_type type: (type_identifier) @implements))

; Scopes.
[(function_item) (closure_expression) (function_signature_item)] @fn
[(block) (match_arm) (for_expression) (if_expression) (while_expression) (mod_item body: (_))] @scope
[(struct_item) (enum_item) (impl_item) (trait_item)] @scope

; Locals.
(parameter pattern: (identifier) @local type: (_) @type)
(parameter pattern: (mut_pattern (identifier) @local) type: (_) @type)
(let_declaration pattern: (identifier) @local type: (_)? @type value: (_)? @value)
(let_declaration pattern: (mut_pattern (identifier) @local) type: (_)? @type value: (_)? @value)
(let_condition pattern: (tuple_struct_pattern type: (_) (identifier) @local) value: (_) @value)
(let_condition pattern: (identifier) @local value: (_) @value)
(tuple_struct_pattern type: (_) (identifier) @local)
(tuple_pattern (identifier) @local)
(tuple_pattern (mut_pattern (identifier) @local))
(let_declaration pattern: (tuple_pattern (identifier) @local) value: (_) @item)
(let_declaration pattern: (tuple_pattern (mut_pattern (identifier) @local)) value: (_) @item)
(captured_pattern . (identifier) @local)
(field_pattern name: (shorthand_field_identifier) @local)
(field_pattern pattern: (identifier) @local)
(for_expression pattern: (identifier) @local value: (_) @item)
(closure_parameters (identifier) @local)
(closure_parameters (parameter pattern: (identifier) @local type: (_) @type))
(type_parameter name: (type_identifier) @local bounds: (trait_bounds (_) @type)?)
(where_predicate left: (type_identifier) @local bounds: (trait_bounds (_) @type))
; `None =>` names a variant.
((match_arm pattern: (match_pattern . (identifier) @local .)) (#not-match? @local "^[A-Z]"))

; What fields are, and what calls give.
(field_declaration name: (field_identifier) @field type: (_) @type)
(function_item name: (identifier) @result return_type: (_) @type)
(function_signature_item name: (identifier) @result return_type: (_) @type)
(type_item name: (type_identifier) @result type: (_) @type)
(const_item name: (identifier) @field type: (_) @type)
(static_item name: (identifier) @field type: (_) @type)

; Imports.
(use_declaration) @import
(extern_crate_declaration) @import
(mod_item name: (identifier) !body) @import
