; `export` belongs to what it stands before.
(export_statement declaration: (_) @inner) @outer
(export_statement value: (_) @inner) @outer

; Functions.
(function_declaration name: (_) @name body: (_) @body) @def.fn
(generator_function_declaration name: (_) @name body: (_) @body) @def.fn

; Classes.
(class_declaration name: (_) @name body: (_) @body) @def.class
(class_body (method_definition name: (_) @name body: (_) @body) @def.method)
(method_definition name: (property_identifier) @name body: (_) @body (#eq? @name "constructor")) @def.constructor
(field_definition property: (_) @name) @def.field
(field_definition property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method

; What a method sets on its object; the first of a name is the definition.
(assignment_expression left: (member_expression object: (this) property: (_) @name) @def.field)
