; Names.
(identifier) @ref
(type_identifier) @ref
(method_invocation object: (_) @recv name: (identifier) @member)
(field_access object: (_) @recv field: (identifier) @member)
(scoped_type_identifier (_) @recv (type_identifier) @member .)
(method_reference . (_) @recv (identifier) @member .)
(object_creation_expression type: (type_identifier) @call)
(object_creation_expression type: (generic_type . (type_identifier) @call))
(element_value_pair key: (identifier) @key)

; Supertypes.
(superclass [(type_identifier) (scoped_type_identifier)] @extends)
(superclass (generic_type . [(type_identifier) (scoped_type_identifier)] @extends))
(super_interfaces (type_list [(type_identifier) (scoped_type_identifier)] @implements))
(super_interfaces (type_list (generic_type . [(type_identifier) (scoped_type_identifier)] @implements)))
(extends_interfaces (type_list [(type_identifier) (scoped_type_identifier)] @extends))
(extends_interfaces (type_list (generic_type . [(type_identifier) (scoped_type_identifier)] @extends)))
(superclass (generic_type) @base)
(super_interfaces (type_list (generic_type) @base))
(extends_interfaces (type_list (generic_type) @base))

; Scopes.
[(method_declaration) (constructor_declaration) (lambda_expression)] @fn
[(block) (for_statement) (enhanced_for_statement) (catch_clause) (try_with_resources_statement) (switch_block)] @scope

; Locals.
(formal_parameter type: (_) @type name: (identifier) @local)
(spread_parameter (_) @type (variable_declarator name: (identifier) @local))
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @local value: (_)? @value))
(enhanced_for_statement type: (_) @type name: (identifier) @local value: (_) @item)
(resource type: (_) @type name: (identifier) @local)
(catch_formal_parameter name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(inferred_parameters (identifier) @local)
(instanceof_expression right: (_) @type name: (identifier) @local)
(type_parameter (type_identifier) @local @generic (type_bound . (_) @type)?)

; What fields are, and what calls give.
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @field))
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @type name: (identifier) @field)))
(method_declaration type: (_) @type name: (identifier) @result)

; Imports.
(import_declaration) @import
