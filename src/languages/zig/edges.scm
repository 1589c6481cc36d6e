; Names.
(identifier) @ref
(field_expression object: (_) @recv member: (identifier) @member)
; Any set of errors may have it.
(error_type (identifier) @member)
; `.name` alone: of the type that is expected there.
(field_expression !object member: (identifier) @key)
(struct_initializer . (_) @type) @literal
(return_expression (anonymous_struct_initializer) @literal @return)
; What type others have is written elsewhere.
(call_expression (anonymous_struct_initializer) @literal @value)
(initializer_list (anonymous_struct_initializer) @literal @value)
(assignment_expression right: (anonymous_struct_initializer) @literal @value)
(variable_declaration (anonymous_struct_initializer) @literal @value)

; Scopes.
(function_declaration) @fn
[(block) (if_statement) (while_statement) (for_statement) (switch_case) (test_declaration)] @scope
[(struct_declaration) (union_declaration) (enum_declaration)] @scope

; Locals.
(parameter name: (identifier) @local type: (_) @type)
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
