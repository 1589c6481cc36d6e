; What the grammars of JavaScript, TypeScript and TSX have in common; each adds its own after it.

; Names that stand alone; which of them are bound here is told by the scopes.
(identifier) @ref
(shorthand_property_identifier) @ref @key

; Names after a dot.
(member_expression object: (_) @recv property: (_) @member)

; Keys of literals, and of patterns that take a value apart.
(pair key: (property_identifier) @key)
(object (method_definition name: (property_identifier) @key))
(variable_declarator
  name: (object_pattern (pair_pattern key: (property_identifier) @member)) value: (_) @recv)
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @member) value: (_) @recv)
(pair_pattern key: (property_identifier) @member)
(shorthand_property_identifier_pattern) @member
(subscript_expression object: (_) @recv index: (string (string_fragment) @member))

; What literals must be. Any other literal has no expected type, not that of one around it.
(object) @literal
(assignment_expression left: (_) @value right: [(object) (array)] @literal)
(pair key: (property_identifier) @of value: [(object) (array)] @literal)
(array [(object) (array)] @literal @item)
; A cursor keeps a choice in mind through all that is handed over, and holds its branches against each other at every node.
(call_expression function: (_) @recv arguments: (arguments (object) @literal) @args)
(call_expression function: (_) @recv arguments: (arguments (array) @literal) @args)

; Scopes.
[
  (function_declaration) (function_expression) (generator_function_declaration) (generator_function)
  (arrow_function) (method_definition)
] @fn
[
  (statement_block) (for_statement) (for_in_statement) (catch_clause) (switch_body) (class_static_block) (class)
] @scope

; Locals.
(arrow_function parameter: (identifier) @local)
(shorthand_property_identifier_pattern) @local
(pair_pattern value: (identifier) @local)
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @local)
(assignment_pattern left: (identifier) @local)
(array_pattern (identifier) @local)
(rest_pattern (identifier) @local)
(for_in_statement kind: _ left: (identifier) @local operator: "of" right: (_) @item)
(for_in_statement kind: _ left: (identifier) @local)
(catch_clause parameter: (identifier) @local)
(function_expression name: (identifier) @local)

; Where a test holds.
(if_statement condition: (_) @when consequence: (_) @holds)
(ternary_expression condition: (_) @when consequence: (_) @holds)
(binary_expression left: (_) @when operator: "&&" right: (_) @holds)
(if_statement condition: (parenthesized_expression (unary_expression operator: "!" argument: (_) @when))
  consequence: [(return_statement) (throw_statement) (continue_statement)] @unless)
(if_statement condition: (parenthesized_expression (unary_expression operator: "!" argument: (_) @when))
  consequence: (statement_block [(return_statement) (throw_statement) (continue_statement)] .) @unless)

; What a type's fields are.
(assignment_expression left: (member_expression object: (this) property: (_) @field) right: (_) @value)

; What a call gives.
(return_statement (_) @return)
(arrow_function body: (_) @return)

; Imports and exports.
(import_statement) @import
(export_statement source: (_)) @import
(export_statement (export_clause)) @import
(export_statement value: (identifier)) @import
(variable_declarator
  value: (call_expression function: (identifier) @require arguments: (arguments . (string) .))
  (#eq? @require "require")) @import
(variable_declarator
  value: (member_expression
    object: (call_expression function: (identifier) @require arguments: (arguments . (string) .)))
  (#eq? @require "require")) @import
(export_statement "default" declaration: (_ name: (_) @default))
