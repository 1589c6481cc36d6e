; What JavaScript and TypeScript share, behind what is their own.

; Functions of an object that a function returns or a module exports.
(return_statement (object (method_definition name: (property_identifier) @name body: (_) @body) @def.method))
(return_statement (object (pair key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method))
(export_statement value: (object (method_definition name: (property_identifier) @name body: (_) @body) @def.method))
(export_statement value: (object (pair key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method))
(expression_statement (assignment_expression
  left: (member_expression object: (identifier) @of property: (_) @exports)
  right: (object (method_definition name: (property_identifier) @name body: (_) @body) @def.method))
  (#eq? @of "module"))
(expression_statement (assignment_expression
  left: (member_expression object: (identifier) @of property: (_) @exports)
  right: (object (pair key: (property_identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method))
  (#eq? @of "module"))

; Imports and re-exports.
(import_statement source: (_) @name) @def.use
(export_statement source: (_) @name) @def.use

;; ---- starting at most 1 deep ----

; Values of the module. One declarator: the statement is the symbol; several: each declarator is.
(lexical_declaration "const" . (variable_declarator name: (identifier) @name) .) @def.const
(lexical_declaration "const" (variable_declarator name: (identifier) @name) @def.const)
(lexical_declaration "let" (variable_declarator name: (identifier) @name)) @def.var
(variable_declaration (variable_declarator name: (identifier) @name) @def.var)
(variable_declaration . (variable_declarator name: (identifier) @name) .) @def.var
(export_statement (lexical_declaration "const" (variable_declarator name: (identifier) @name)) @def.const)
(export_statement (lexical_declaration "let" (variable_declarator name: (identifier) @name)) @def.var)
(export_statement (variable_declaration (variable_declarator name: (identifier) @name)) @def.var)

; A function or a class in a value is what it is.
(_ (variable_declarator name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @def.fn
(export_statement
  (_ (variable_declarator name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @def.fn)
(_ (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @def.class
(export_statement (_ (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @def.class)

; Functions of an object that the module keeps.
(_ (variable_declarator value: (object (method_definition name: (_) @name body: (_) @body) @def.method)))
(_ (variable_declarator value: (object
  (pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method)))
(export_statement (_ (variable_declarator value: (object
  (method_definition name: (_) @name body: (_) @body) @def.method))))
(export_statement (_ (variable_declarator value: (object
  (pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method))))

; Functions hung on something: `exports.f = function`, `app.use = function`, `Stack.prototype.push = function`.
(expression_statement (assignment_expression
  left: (member_expression object: (_) @of property: (_) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
  (#any-of? @of "exports" "module.exports")) @def.fn
(expression_statement (assignment_expression
  left: (member_expression object: (identifier) @scope property: (_) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
  (#not-any-of? @scope "exports" "module")) @def.method
(expression_statement (assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @scope property: (_) @prototype)
    property: (_) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
  (#eq? @prototype "prototype")) @def.method
(expression_statement (assignment_expression
  left: (member_expression object: (identifier) @of property: (_) @exports)
  right: (function_expression name: (_) @name body: (_) @body))
  (#eq? @of "module")) @def.fn
(expression_statement (assignment_expression
  left: (member_expression object: (identifier) @of property: (_) @exports)
  right: (class name: (_) @name body: (_) @body))
  (#eq? @of "module")) @def.class
; `Stack.prototype.add = Stack.prototype.push`.
(expression_statement (assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @scope property: (_) @prototype)
    property: (_) @name)
  right: [(member_expression) (identifier) (assignment_expression) (string) (number) (true) (false) (null) (call_expression) (array)])
  (#eq? @prototype "prototype")) @def.field
