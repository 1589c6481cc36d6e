; Names. What stands before the dot is read from the text: the grammar makes rows of siblings of calls.
(identifier) @ref
(type_identifier) @ref
(identifier_dollar_escaped) @ref
(constructor_param (this) @recv (identifier) @member)
(field_initializer . (identifier) @key)
(label (identifier) @key)
; A constructor's own name is no use of its class.
[(constructor_signature . (identifier) @key) (constant_constructor_signature . (identifier) @key)]
[(factory_constructor_signature . (identifier) @key) (redirecting_factory_constructor_signature . (identifier) @key)]

; Supertypes.
(superclass (type_identifier) @extends)
(mixins (type_identifier) @extends)
(interfaces (type_identifier) @implements)

; Scopes. A body stands beside its signature.
((method_signature) @fn . (function_body) @value)
((function_signature) @fn . (function_body) @value)
(function_expression) @fn
; With what a constructor gives its fields.
(declaration [(constructor_signature) (constant_constructor_signature)]) @fn
[(block) (for_statement) (class_definition) (extension_declaration) (mixin_declaration) (enum_declaration)] @scope

; Locals.
(formal_parameter name: (identifier) @local) @type
(formal_parameter . (identifier) @local .)
(initialized_variable_definition name: (identifier) @local) @value
(initialized_variable_definition . (type_identifier) @type name: (identifier) @local)
(for_loop_parts name: (identifier) @local value: (_) @item)
(for_loop_parts (type_identifier) @type name: (identifier) @local)
(catch_parameters (identifier) @local)
(record_pattern (constant_pattern (identifier) @local))
(type_parameter . (type_identifier) @local (type_bound (type_identifier) @type)?)
(function_signature name: (identifier) @local)

; What fields are, and what calls give.
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @field) @value)) @type
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @field) @value)) @type
(initialized_identifier . (identifier) @field) @value
(static_final_declaration . (identifier) @field) @value
(function_signature name: (identifier) @result) @type
(getter_signature name: (identifier) @result) @type

; Imports.
[(import_or_export) (part_directive) (part_of_directive)] @import
