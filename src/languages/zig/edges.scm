; Names.
(identifier) @ref
(field_expression object: (_) @recv member: (identifier) @member)
; Any set of errors may have it.
(error_type (identifier) @member)
; `.name` alone: of the type that is expected there.
(field_expression !object member: (identifier) @key)
(struct_initializer . (_) @type) @literal
(return_expression [(anonymous_struct_initializer) (field_expression !object)] @literal @return)
(variable_declaration . (identifier) @value (anonymous_struct_initializer) @literal .)
(variable_declaration . (identifier) @value (field_expression !object) @literal .)
(container_field type: (_) @type [(anonymous_struct_initializer) (field_expression !object)] @literal)
(assignment_expression left: [(identifier) (field_expression object: (_))] @value right: [(anonymous_struct_initializer) (field_expression !object)] @literal)
(initializer_list (assignment_expression left: (field_expression !object member: (identifier) @of) right: [(anonymous_struct_initializer) (field_expression !object)] @literal))
(binary_expression left: (_) @value right: (field_expression !object) @literal)
(switch_expression . (_) @value (switch_case (field_expression !object) @literal))
(call_expression function: (_) @recv "(" @args [(anonymous_struct_initializer) (field_expression !object)] @literal)
; What type others have is written elsewhere.
(initializer_list (anonymous_struct_initializer) @literal @value)

; Scopes.
(function_declaration) @fn
[(block) (if_statement) (while_statement) (for_statement) (switch_case) (test_declaration)] @scope
[(struct_declaration) (union_declaration) (enum_declaration)] @scope

; Locals.
(parameter name: (identifier) @local type: (_) @type)
(parameter name: (identifier) @param type: (_) @type)
(variable_declaration ["const" "var"] . (identifier) @local type: (_)? @type)
(variable_declaration ["const" "var"] . (identifier) @local (_) @value .)
(payload (identifier) @local)

; What fields are, and what calls give.
(container_field name: (identifier) @field type: (_) @type)
(function_declaration name: (identifier) @result type: (_) @type)

; Imports.
(variable_declaration "const" . (identifier) (builtin_function (builtin_identifier) (arguments (string)))) @import
(variable_declaration "const" . (identifier) (field_expression object: (builtin_function (builtin_identifier) (arguments (string))))) @import
(builtin_function (builtin_identifier) (arguments (string))) @import
