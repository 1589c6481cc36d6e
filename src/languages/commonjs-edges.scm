; What a module without `export` hands out.
(assignment_expression
  left: (member_expression object: (identifier) @of property: (property_identifier) @what)
  right: [(identifier) (object) (call_expression) (new_expression)]
  (#eq? @of "module") (#eq? @what "exports")) @import
(assignment_expression
  left: (member_expression object: (identifier) @of property: (property_identifier))
  right: [(identifier) (call_expression) (member_expression)]
  (#eq? @of "exports")) @import
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @of property: (property_identifier) @what)
    property: (property_identifier))
  right: [(identifier) (call_expression) (member_expression)]
  (#eq? @of "module") (#eq? @what "exports")) @import
(assignment_expression
  left: (member_expression object: (identifier) @module property: (property_identifier) @what)
  right: [(function_expression name: (_) @default) (class name: (_) @default)]
  (#eq? @module "module") (#eq? @what "exports"))
(variable_declarator name: (identifier) @default value: (assignment_expression
  left: (member_expression object: (identifier) @module property: (property_identifier) @what))
  (#eq? @module "module") (#eq? @what "exports"))
(variable_declarator name: (identifier) @default value: (assignment_expression right: (assignment_expression
  left: (member_expression object: (identifier) @module property: (property_identifier) @what)))
  (#eq? @module "module") (#eq? @what "exports"))
