; Names.
(simple_identifier) @ref
(type_identifier) @ref
(user_type (type_identifier) @recv . (type_identifier) @member)
(navigation_expression target: (_) @recv suffix: (navigation_suffix suffix: (simple_identifier) @member))
; `.name` alone: of the type that is expected there.
(prefix_expression "." target: (simple_identifier) @member)
(value_argument_label (simple_identifier) @key)

; Supertypes: nothing tells a class from a protocol.
(inheritance_specifier inherits_from: (user_type (type_identifier) @extends))

; Scopes.
[(function_declaration) (lambda_literal) (protocol_function_declaration) (subscript_declaration)] @fn
[(statements) (for_statement) (if_statement) (catch_block) (switch_entry)] @scope

; Locals.
(parameter name: (simple_identifier) @local [(user_type) (optional_type) (array_type)] @type)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @local) (type_annotation (_) @type)? value: (_)? @value)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @field) (type_annotation (_) @type)? value: (_)? @value)
(for_statement item: (pattern bound_identifier: (simple_identifier) @local) collection: (_) @item)
(if_statement bound_identifier: (simple_identifier) @local)
(guard_statement bound_identifier: (simple_identifier) @local)
(lambda_parameter name: (simple_identifier) @local)
(type_parameter (type_identifier) @local)

; What calls give.
(function_declaration name: (simple_identifier) @result name: (_) @type . body: (_))
(protocol_function_declaration name: (simple_identifier) @result [(user_type) (optional_type)] @type)

; Imports.
(import_declaration) @import
