; Names.
(identifier) @ref
(navigation_expression . (_) @recv (identifier) @member .)
((user_type (identifier) @recv . (identifier) @member) (#match? @recv "^[A-Z]"))
(value_argument . (identifier) @key . "=")

; Supertypes.
(delegation_specifier (user_type (identifier) @extends))
(delegation_specifier (constructor_invocation (user_type (identifier) @extends)))

; Scopes.
[(function_declaration) (anonymous_function) (lambda_literal) (secondary_constructor) (getter) (setter)] @fn
[(block) (for_statement) (when_entry) (catch_block)] @scope

; Locals.
(parameter . (identifier) @local (_) @type .)
(function_value_parameters (parameter . (identifier) @local (_) @type))
(property_declaration (variable_declaration . (identifier) @local (_)? @type))
(property_declaration (variable_declaration . (identifier) @local) "=" (_) @value)
(property_declaration (variable_declaration . (identifier) @field (_) @type))
(property_declaration (variable_declaration . (identifier) @field) "=" (_) @value)
(for_statement (variable_declaration . (identifier) @local) (_) @item)
(lambda_parameters (variable_declaration . (identifier) @local (_)? @type))
(multi_variable_declaration (variable_declaration . (identifier) @local))
(catch_block (identifier) @local)
(type_parameter (identifier) @local)

; What fields are, and what calls give.
(class_parameter (identifier) @field [(user_type) (nullable_type)] @type)
(function_declaration name: (identifier) @result (function_value_parameters) . [(user_type) (nullable_type)] @type)

; Imports.
(import) @import
