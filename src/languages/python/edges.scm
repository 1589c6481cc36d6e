; Names; which of them are bound here is told by the scopes.
(identifier) @ref
(attribute object: (_) @recv attribute: (identifier) @member)
(keyword_argument name: (identifier) @key)
; Names in quotes: types that are not defined yet, and what a module says it exports.
(type (string (string_content) @ref))
(assignment
  left: (identifier) @all right: [(list (string (string_content) @ref)) (tuple (string (string_content) @ref))]
  (#eq? @all "__all__"))

; Supertypes.
(class_definition superclasses: (argument_list [(identifier) (attribute)] @extends))
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @extends)))

; Scopes: only these bound names.
[(function_definition) (lambda)] @fn
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @scope

; Parameters.
(parameters (identifier) @local)
(parameters (default_parameter name: (identifier) @local value: (_) @value))
(typed_parameter . (identifier) @local type: (type) @type)
(typed_default_parameter name: (identifier) @local type: (type) @type)
(typed_parameter . (list_splat_pattern (identifier) @local))
(typed_parameter . (dictionary_splat_pattern (identifier) @local))
(parameters (list_splat_pattern (identifier) @local))
(parameters (dictionary_splat_pattern (identifier) @local))
(lambda_parameters (identifier) @local)
(lambda_parameters (default_parameter name: (identifier) @local))

; Names that a function binds.
(assignment left: (identifier) @local type: (type)? @type right: (_)? @value)
(assignment left: (pattern_list (identifier) @local))
(assignment left: (tuple_pattern (identifier) @local))
(assignment left: (list_pattern (identifier) @local))
(augmented_assignment left: (identifier) @local)
(named_expression name: (identifier) @local value: (_) @value)
(for_statement left: (identifier) @local right: (_) @item)
(for_statement left: (pattern_list (identifier) @local))
(for_statement left: (tuple_pattern (identifier) @local))
(for_in_clause left: (identifier) @local right: (_) @item)
(for_in_clause left: (pattern_list (identifier) @local))
(for_in_clause left: (tuple_pattern (identifier) @local))
(with_item value: (as_pattern (_) @value alias: (as_pattern_target (identifier) @local)))
(as_pattern alias: (as_pattern_target (identifier) @local))
(function_definition type_parameters: (type_parameter (type (identifier) @local)))
(class_definition type_parameters: (type_parameter (type (identifier) @local)))
(case_pattern (dotted_name . (identifier) @local .))

; What a type's fields are.
(assignment
  left: (attribute object: (identifier) @self attribute: (identifier) @field)
  type: (type)? @type right: (_)? @value
  (#any-of? @self "self" "cls"))
(class_definition body: (block (expression_statement
  (assignment left: (identifier) @field type: (type)? @type right: (_)? @value))))

; What a call gives.
(function_definition name: (identifier) @result return_type: (type) @type)
(return_statement (_) @return)

; Imports.
[(import_statement) (import_from_statement) (future_import_statement)] @import
