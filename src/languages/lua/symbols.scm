(function_declaration "local"? @vis name: (identifier) @name body: (_)? @body "end" @body) @def.fn
(function_declaration name: (dot_index_expression table: (_) @scope field: (_) @name) body: (_)? @body "end" @body) @def.fn
(function_declaration name: (method_index_expression table: (_) @scope method: (_) @name) body: (_)? @body "end" @body) @def.method

; Functions that are values: of a name, of a table's field, inside a table.
(variable_declaration "local"? @vis (assignment_statement
  (variable_list . name: (identifier) @name .) (expression_list . value: (function_definition body: (_)? @body "end" @body)))) @def.fn
(assignment_statement (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition body: (_)? @body "end" @body))) @def.fn
(assignment_statement (variable_list . name: (dot_index_expression table: (_) @scope field: (_) @name) .)
  (expression_list . value: (function_definition body: (_)? @body "end" @body))) @def.fn
(assignment_statement (variable_list . name: (bracket_index_expression table: (_) @scope field: (string content: (_) @name)) .)
  (expression_list . value: (function_definition body: (_)? @body "end" @body))) @def.fn
(field name: [(identifier) @name (string content: (_) @name)] value: (function_definition body: (_)? @body "end" @body)) @def.fn

; Values of the file. A name in capitals is meant not to change; `local x = require(…)` is an import.
((chunk (variable_declaration "local" @vis (assignment_statement
  (variable_list name: (identifier) @name) (expression_list . value: (_) @_value))) @def.const)
  (#match? @name "^[A-Z][A-Z0-9_]+$")
  (#not-match? @_value "^require\\b"))
((chunk (variable_declaration "local" @vis (assignment_statement
  (variable_list name: (identifier) @name) (expression_list . value: (_) @_value))) @def.var)
  (#not-match? @name "^[A-Z][A-Z0-9_]+$")
  (#not-match? @_value "^require\\b"))
(chunk (assignment_statement (variable_list name: (identifier) @name)) @def.var)
(chunk (assignment_statement (variable_list name: (dot_index_expression table: (_) @scope field: (_) @name))) @def.field)

((variable_declaration (assignment_statement (expression_list .
  value: (function_call name: (identifier) @_word arguments: (arguments . (string content: (_) @name)))))) @def.use
  (#eq? @_word "require"))
((function_call name: (identifier) @_word arguments: (arguments . (string content: (_) @name))) @def.use
  (#eq? @_word "require"))
