; Names.
(name) @ref
(member_call_expression object: (_) @recv name: (name) @member)
(nullsafe_member_call_expression object: (_) @recv name: (name) @member)
(member_access_expression object: (_) @recv name: (name) @member)
(nullsafe_member_access_expression object: (_) @recv name: (name) @member)
(scoped_call_expression scope: (_) @recv name: (name) @member)
(class_constant_access_expression . (_) @recv (name) @member .)
(object_creation_expression (name) @call)
(argument name: (name) @key)
; The parts of a namespace's name mean no class.
(namespace_definition name: (namespace_name (name) @key))
(scoped_property_access_expression scope: (_) @recv name: (variable_name (name) @member))
(qualified_name (name) @member .) @recv
(object_creation_expression (qualified_name (name) @call .))

; Supertypes.
(base_clause [(name) (qualified_name)] @extends)
(class_interface_clause [(name) (qualified_name)] @implements)
(declaration_list (use_declaration [(name) (qualified_name)] @extends))
; A method as a value: `[$this, 'run']`.
(array_creation_expression . (array_element_initializer (_) @recv) . (array_element_initializer (string (string_content) @member)) .)

; Scopes.
[(function_definition) (method_declaration) (anonymous_function) (arrow_function)] @fn

; Locals.
(simple_parameter type: (_)? @type name: (variable_name) @local)
(variadic_parameter type: (_)? @type name: (variable_name) @local)
(property_promotion_parameter type: (_)? @type name: (variable_name) @local)
(assignment_expression left: (variable_name) @local right: (_) @value)
(foreach_statement . (_) @item (variable_name) @local)
(foreach_statement (pair (_) (variable_name) @local))
(catch_clause name: (variable_name) @local)

; What fields are, and what calls give.
(property_declaration type: (_) @type (property_element name: (variable_name (name) @field)))
(property_promotion_parameter type: (_) @type name: (variable_name (name) @field))
(assignment_expression
  left: (member_access_expression object: (variable_name (name) @self) name: (name) @field) right: (_) @value
  (#eq? @self "this"))
(function_definition name: (name) @result return_type: (_) @type)
(method_declaration name: (name) @result return_type: (_) @type)

; Imports.
(namespace_use_declaration) @import
[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @import
