; Names.
(identifier) @ref
(member_access_expression expression: (_) @recv name: (identifier) @member)
(member_access_expression expression: (_) @recv name: (generic_name . (identifier) @member))
(conditional_access_expression condition: (_) @recv (member_binding_expression name: (identifier) @member))
(member_access_expression . "this" name: (identifier) @member)
(qualified_name qualifier: (_) @recv name: (identifier) @member)
(object_creation_expression type: (identifier) @call)
(object_creation_expression type: (generic_name . (identifier) @call))
(initializer_expression (assignment_expression left: (identifier) @key))

; Supertypes: nothing tells a class from an interface.
(base_list (identifier) @extends)
(base_list (generic_name . (identifier) @extends))
(base_list (qualified_name) @extends)
(base_list (qualified_name name: (generic_name . (identifier) @extends)))
(base_list (primary_constructor_base_type type: [(identifier) (qualified_name)] @extends))
(base_list (primary_constructor_base_type type: (generic_name . (identifier) @extends)))

; The base of a generic type, for its type arguments; an attribute without the end of its name.
(base_list (generic_name) @base)
(attribute name: (identifier) @tag)

; Scopes.
[(method_declaration) (constructor_declaration) (local_function_statement) (lambda_expression) (anonymous_method_expression)] @fn
[(block) (for_statement) (foreach_statement) (catch_clause) (using_statement) (switch_section)] @scope

; Locals.
(parameter type: (_) @type name: (identifier) @local)
(parameter name: (identifier) @local)
(lambda_expression parameters: (implicit_parameter) @local)
(local_declaration_statement (variable_declaration type: (_) @type (variable_declarator name: (identifier) @local (_)? @value)))
(using_statement (variable_declaration type: (_) @type (variable_declarator name: (identifier) @local (_)? @value)))
(foreach_statement type: (_) @type left: (identifier) @local right: (_) @item)
(declaration_pattern type: (_) @type name: (identifier) @local)
(declaration_expression type: (_) @type name: (identifier) @local)
(catch_declaration name: (identifier) @local)
(type_parameter name: (identifier) @local @generic)

; What fields are, and what calls give.
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (identifier) @field)))
(property_declaration type: (_) @type name: (identifier) @field)
(record_declaration (parameter_list (parameter type: (_) @type name: (identifier) @field)))
(class_declaration (parameter_list (parameter type: (_) @type name: (identifier) @field)))
(method_declaration returns: (_) @type name: (identifier) @result)
; An extension method: what it is called on.
(method_declaration name: (identifier) @guard
  parameters: (parameter_list . (parameter (modifier) @modifier type: (_) @type)) (#eq? @modifier "this"))

; Imports.
(using_directive) @import
