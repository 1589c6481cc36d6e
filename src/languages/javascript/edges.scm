; Supertypes.
(class_heritage (_) @extends)

; Locals.
(formal_parameters (identifier) @local)
(formal_parameters (assignment_pattern left: (identifier) @local right: (_) @value))
; Choices only behind what a call is handed: before that, each pattern is kept in mind for every call.
(call_expression function: (_) @recv arguments: (arguments (arrow_function [
  parameter: (identifier) @local @params
  parameters: (formal_parameters (identifier) @local) @params
])) @args)
(call_expression function: (_) @recv arguments: (arguments
  (function_expression parameters: (formal_parameters (identifier) @local) @params)) @args)
(variable_declarator name: (identifier) @local value: (_)? @value)
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @local @of) value: (_)? @value)
(variable_declarator
  name: (object_pattern (pair_pattern key: (property_identifier) @of value: (identifier) @local)) value: (_)? @value)
(class name: (identifier) @local)

; What a type's fields are.
(field_definition property: (_) @field value: (_)? @value)
