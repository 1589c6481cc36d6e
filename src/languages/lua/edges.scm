; Names.
(identifier) @ref
(dot_index_expression table: (_) @recv field: (identifier) @member)
(method_index_expression table: (_) @recv method: (identifier) @member)
; Brackets may be left out: `f "x"`, `f { … }`.
(function_call name: (identifier) @call)
(function_call name: (dot_index_expression table: (_) @recv field: (identifier) @call))
(function_call name: (method_index_expression table: (_) @recv method: (identifier) @call))
(field name: (identifier) @key)

; Scopes.
[(function_declaration) (function_definition)] @fn
[(do_statement) (while_statement) (repeat_statement) (for_statement) (block)] @scope

; Locals.
(parameters name: (identifier) @local)
(for_numeric_clause name: (identifier) @local)
(for_generic_clause (variable_list name: (identifier) @local))
(variable_declaration (variable_list name: (identifier) @local))
(variable_declaration (assignment_statement (variable_list name: (identifier) @local)))
(variable_declaration (assignment_statement (variable_list . name: (identifier) @local) (expression_list . value: (_) @value)))
(function_declaration "local" name: (identifier) @local)

; What fields are, and what calls give.
(assignment_statement
  (variable_list . name: (dot_index_expression field: (identifier) @field)) (expression_list . value: (_) @value))
(return_statement (expression_list . (_) @return))

; Imports, and what the file gives to those who require it.
((function_call name: (identifier) @require arguments: (arguments . (string))) @import (#eq? @require "require"))
(chunk (return_statement) @import)
