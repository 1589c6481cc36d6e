; Names. A name alone is a variable; what is called, captured or an attribute is not.
(alias) @ref
(call target: (identifier) @call)
(call target: (dot left: (_) @recv right: (identifier) @member))
(unary_operator operator: "&" operand: (binary_operator left: (identifier) @call operator: "/"))
(unary_operator operator: "@" operand: (identifier) @ref)
; A field of a struct, an option of a call.
((keywords (pair key: (keyword) @key)) (#not-match? @key "^(do|else|after|rescue|catch|for|as|only|except|to):"))
; A definition's head, as in `@spec run(…) :: …`, is no use.
((unary_operator operand: (call target: (identifier) @spec (arguments . (binary_operator left: (call target: (identifier) @key)))))
  (#any-of? @spec "spec" "callback" "macrocallback" "type" "typep" "opaque"))

; Scopes.
[(do_block) (anonymous_function) (stab_clause)] @scope

; Imports.
((call target: (identifier) @word) @import (#any-of? @word "alias" "import" "require" "use"))
