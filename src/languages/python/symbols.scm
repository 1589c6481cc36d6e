; Decorators belong to what they decorate.
(decorated_definition definition: (_) @inner) @outer

; The signature ends at the colon; a comment after it does not belong to it.
(function_definition name: (_) @name ":" @body body: (block . (expression_statement . (string) @doc)?)) @def.fn
(class_definition name: (_) @name ":" @body body: (block . (expression_statement . (string) @doc)?)) @def.class

; Names of a class.
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @def.field))
(assignment left: (attribute object: (identifier) @self attribute: (identifier) @name) @def.field (#eq? @self "self"))
(type_alias_statement . (type (identifier) @name)) @def.type
(type_alias_statement . (type (generic_type (identifier) @name))) @def.type

(import_statement name: (dotted_name) @name) @def.use
(import_statement name: (aliased_import name: (_) @name)) @def.use
(import_from_statement module_name: (_) @name) @def.use
(future_import_statement "__future__" @name) @def.use

;; ---- starting at most 1 deep ----

; Names of the module.
(expression_statement (assignment left: (identifier) @name) (#match? @name "^_*[A-Z][A-Z0-9_]*$")) @def.const
(expression_statement (assignment left: (identifier) @name)) @def.var
