; Names that stand alone; which of them are bound here is told by the scopes.
(type_identifier) @ref

; Names after a dot.
(nested_type_identifier module: (_) @recv name: (_) @member)
(nested_identifier object: (_) @recv property: (_) @member)

; Keys of literals, and of patterns that take a value apart.
(lookup_type . (_) @type (literal_type (string (string_fragment) @member)))

; What literals must be.
(variable_declarator type: (type_annotation (_) @type) value: [(object) (array)] @literal)
(public_field_definition type: (type_annotation (_) @type) value: [(object) (array)] @literal)
(required_parameter type: (type_annotation (_) @type) value: [(object) (array)] @literal)
(as_expression . [(object) (array)] @literal (_) @type .)
(satisfies_expression . [(object) (array)] @literal (_) @type .)
(new_expression constructor: (_) @recv arguments: (arguments [(object) (array)] @literal) @args)
(arrow_function
  return_type: (type_annotation (_) @type) body: (parenthesized_expression [(object) (array)] @literal))
(return_statement [(object) (array)] @literal @return)
(call_expression function: (_) @recv arguments: (arguments
  (arrow_function body: (parenthesized_expression (object) @literal @return))) @args)
(call_expression function: (_) @recv arguments: (arguments
  (arrow_function body: (statement_block (return_statement (object) @literal @return)))) @args)

; Supertypes.
(extends_clause value: (_) @extends)
(extends_type_clause type: [(type_identifier) (nested_type_identifier)] @extends)
(extends_type_clause type: (generic_type name: (_) @extends))
(extends_type_clause type: (generic_type name: (type_identifier) @holder type_arguments: (type_arguments . [
    (type_identifier) @extends
    (nested_type_identifier) @extends
    (generic_type name: (_) @extends)
  ])) (#any-of? @holder "Omit" "Pick" "Partial" "Required" "Readonly"))
(implements_clause [(type_identifier) (nested_type_identifier)] @implements)
(implements_clause (generic_type name: (_) @implements))
(extends_clause value: (_) type_arguments: (_)) @base
(extends_type_clause type: (generic_type) @base)
(implements_clause (generic_type) @base)

; Scopes.
[(function_signature) (method_signature) (abstract_method_signature)] @fn
[
  (function_type) (constructor_type) (call_signature) (construct_signature) (class_declaration)
  (abstract_class_declaration) (interface_declaration) (type_alias_declaration) (conditional_type) (mapped_type_clause)
] @scope

; Locals.
(required_parameter pattern: (this) @local type: (type_annotation (_) @type))
(required_parameter pattern: (identifier) @local @param type: (type_annotation (_) @type)? value: (_)? @value)
(optional_parameter pattern: (identifier) @local @param type: (type_annotation (_) @type)?)
(required_parameter pattern: (rest_pattern (identifier) @local) @param type: (type_annotation (_) @type)?)
(required_parameter pattern: [(object_pattern) (array_pattern)] @param type: (type_annotation (_) @type)?)
(optional_parameter pattern: [(object_pattern) (array_pattern)] @param type: (type_annotation (_) @type)?)
(variable_declarator name: (identifier) @local type: (type_annotation (_) @type)? value: (_)? @value)
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @local @of)
  type: (type_annotation (_) @type)? value: (_)? @value)
(variable_declarator
  name: (object_pattern (pair_pattern key: (property_identifier) @of value: (identifier) @local))
  type: (type_annotation (_) @type)? value: (_)? @value)
(required_parameter
  pattern: (object_pattern (shorthand_property_identifier_pattern) @local @of @member) type: (type_annotation (_) @type))
(required_parameter
  pattern: (object_pattern (object_assignment_pattern
    left: (shorthand_property_identifier_pattern) @local @of @member)) type: (type_annotation (_) @type))
(required_parameter
  pattern: (object_pattern (pair_pattern key: (property_identifier) @of @member value: (identifier) @local))
  type: (type_annotation (_) @type))
(type_parameter name: (type_identifier) @local @generic
  constraint: (constraint (_) @type)? value: (default_type (_) @value)?)
(infer_type (type_identifier) @local)
(mapped_type_clause name: (type_identifier) @local)
(class name: (type_identifier) @local)

; Parameters of functions that are handed to a call.
; Choices only behind what a call is handed: before that, each pattern is kept in mind for every call.
(call_expression function: (_) @recv arguments: (arguments (arrow_function [
  parameter: (identifier) @local @params
  parameters: (formal_parameters (required_parameter pattern: [
    (identifier) @local
    (object_pattern (shorthand_property_identifier_pattern) @local @of @member)
  ])) @params
])) @args)
(call_expression function: (_) @recv arguments: (arguments
  (function_expression parameters: (formal_parameters (required_parameter pattern: (identifier) @local)) @params)) @args)

; Parameters of functions whose type is written elsewhere.
(variable_declarator type: (type_annotation (_) @type) value:
  (arrow_function parameters: (formal_parameters (required_parameter pattern: (identifier) @local)) @params))
(variable_declarator type: (type_annotation (_) @type) value:
  (arrow_function parameters: (formal_parameters (required_parameter
    pattern: (object_pattern (shorthand_property_identifier_pattern) @local @of @member))) @params))
(assignment_expression left: (_) @value right:
  (arrow_function parameters: (formal_parameters (required_parameter pattern: (identifier) @local)) @params))
(object (method_definition name: (property_identifier) @of
  parameters: (formal_parameters (required_parameter pattern: (identifier) @local)) @params))
(object (method_definition name: (property_identifier) @value
  parameters: (formal_parameters (required_parameter
    pattern: (object_pattern (shorthand_property_identifier_pattern) @local @of @member))) @params))
(return_statement
  (arrow_function parameters: (formal_parameters (required_parameter pattern: (identifier) @local)) @params) @value)
(pair key: (property_identifier) @of value:
  (arrow_function parameters: (formal_parameters (required_parameter pattern: (identifier) @local)) @params))
(pair key: (property_identifier) @value value:
  (arrow_function parameters: (formal_parameters (required_parameter
    pattern: (object_pattern (shorthand_property_identifier_pattern) @local @of @member))) @params))

; What a type's fields are.
(public_field_definition name: (_) @field type: (type_annotation (_) @type)? value: (_)? @value)
(property_signature name: (_) @field type: (type_annotation (_) @type))
(call_signature) @field @type
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @type)?)
(optional_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @type)?)
(required_parameter . "readonly" pattern: (identifier) @field type: (type_annotation (_) @type)?)
(optional_parameter . "readonly" pattern: (identifier) @field type: (type_annotation (_) @type)?)

; What a call gives, and what an alias stands for.
(function_declaration name: (_) @result return_type: (type_annotation (_) @type))
(function_signature name: (_) @result return_type: (type_annotation (_) @type))
(method_definition name: (_) @result return_type: (type_annotation (_) @type))
(method_signature name: (_) @result return_type: (type_annotation (_) @type))
(abstract_method_signature name: (_) @result return_type: (type_annotation (_) @type))
(variable_declarator name: (identifier) @result value: (arrow_function return_type: (type_annotation (_) @type)))
(variable_declarator name: (identifier) @result value: (function_expression return_type: (type_annotation (_) @type)))
(public_field_definition name: (_) @result value: (arrow_function return_type: (type_annotation (_) @type)))
(type_alias_declaration name: (_) @result value: (_) @type)
(function_declaration name: (_) @guard return_type: (type_predicate_annotation (type_predicate type: (_) @type)))
(function_signature name: (_) @guard return_type: (type_predicate_annotation (type_predicate type: (_) @type)))
(method_definition name: (_) @guard return_type: (type_predicate_annotation (type_predicate type: (_) @type)))
(variable_declarator name: (identifier) @guard
  value: (arrow_function return_type: (type_predicate_annotation (type_predicate type: (_) @type))))

; Imports and exports.
(export_statement "=" (identifier)) @import
