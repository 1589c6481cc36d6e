; Names.
(identifier) @ref
(type_identifier) @ref
(field_expression value: (_) @recv field: (identifier) @member)
(stable_type_identifier (_) @recv (type_identifier) @member .)
(infix_expression left: (_) @recv operator: (identifier) @member)
(instance_expression (type_identifier) @call)

; Supertypes.
(extends_clause type: [(type_identifier) (stable_type_identifier)] @extends)
(extends_clause type: (generic_type type: [(type_identifier) (stable_type_identifier)] @extends))

; Scopes.
[(function_definition) (function_declaration) (lambda_expression)] @fn
[(block) (case_clause) (for_expression)] @scope

; Locals.
(parameter name: (identifier) @local type: (_) @type)
(binding name: (identifier) @local type: (_)? @type)
(lambda_expression parameters: (identifier) @local)
(val_definition pattern: (identifier) @local type: (_)? @type value: (_)? @value)
(var_definition pattern: (identifier) @local type: (_)? @type value: (_)? @value)
(val_definition pattern: (identifier) @field type: (_)? @type value: (_)? @value)
(enumerator . (identifier) @local (_) @item)
(typed_pattern pattern: (identifier) @local type: (_) @type)
(capture_pattern name: (identifier) @local)
(type_parameters name: (identifier) @local)

; What fields are, and what calls give.
(class_parameter name: (identifier) @field type: (_) @type)
(function_definition name: (identifier) @result return_type: (_) @type)
(function_declaration name: (identifier) @result return_type: (_) @type)

; Imports.
[(import_declaration) (export_declaration)] @import
