; Everything is a call; the called word tells what it defines. `_` stands for an inner `call` or `unary_operator`, which
; alone have these fields: naming them makes compiling the query twice as slow (a wildcard at the root is slower to run).
((call target: (identifier) @_word (arguments . (alias) @name) (do_block)? @body) @def.module
  (#eq? @_word "defmodule"))
((call target: (identifier) @_word (arguments . (alias) @name)
  (do_block . (_ operand: (_ target: (identifier) @_doc (arguments (string (quoted_content) @doc))))) @body) @def.module
  (#eq? @_word "defmodule")
  (#eq? @_doc "moduledoc"))
((call target: (identifier) @_word (arguments . (alias) @name) (do_block)? @body) @def.protocol
  (#eq? @_word "defprotocol"))
; An implementation is the module `Protocol.Type`.
((call target: (identifier) @_word (arguments . (alias) @scope (keywords (pair value: (alias) @name))) (do_block)? @body) @def.impl
  (#eq? @_word "defimpl"))
((call target: (identifier) @_word (arguments . (alias) @scope (keywords (pair value: (list . (alias) @name)))) (do_block)? @body) @def.impl
  (#eq? @_word "defimpl"))
((call target: (identifier) @_word (arguments . (alias) @name .) (do_block)? @body) @def.impl
  (#eq? @_word "defimpl"))

; Functions and macros, with and without arguments and guards.
((call target: (identifier) @vis (arguments . [
    (_ target: (identifier) @name)
    (identifier) @name
    (binary_operator left: [(_ target: (identifier) @name) (identifier) @name] operator: "when")
  ] . (keywords)? @body) (do_block)? @body) @def.fn
  (#any-of? @vis "def" "defp" "defdelegate" "defn" "defnp"))
((call target: (identifier) @vis (arguments . [
    (_ target: (identifier) @name)
    (identifier) @name
    (binary_operator left: [(_ target: (identifier) @name) (identifier) @name] operator: "when")
  ] . (keywords)? @body) (do_block)? @body) @def.macro
  (#any-of? @vis "defmacro" "defmacrop" "defguard" "defguardp"))
; Operators: `def left <> right`.
((call target: (identifier) @vis (arguments . (binary_operator operator: _ @name) . (keywords)? @body) (do_block)? @body) @def.fn
  (#any-of? @vis "def" "defp")
  (#not-eq? @name "when"))
; `@doc` stands above, other attributes may come between.
((unary_operator operand: (_ target: (identifier) @_doc (arguments (string (quoted_content) @doc))))
  . (unary_operator)* .
  (_ target: (identifier) @vis (arguments . [
    (_ target: (identifier) @name)
    (identifier) @name
    (binary_operator left: [(_ target: (identifier) @name) (identifier) @name] operator: "when")
  ])) @def.var
  (#eq? @_doc "doc")
  (#match? @vis "^def"))

((call target: (identifier) @name) @def.struct
  (#any-of? @name "defstruct" "defexception"))
((call target: (identifier) @_word (arguments [
    (list [(atom) @name (keywords (pair key: (keyword) @name))])
    (keywords (pair key: (keyword) @name))
  ])) @def.field
  (#any-of? @_word "defstruct" "defexception"))

; Module attributes: contracts, types, values.
((unary_operator operand: (_ target: (identifier) @_word (arguments . (binary_operator left: [
    (identifier) @name
    (_ target: (identifier) @name)
    (binary_operator left: (_ target: (identifier) @name))
  ])))) @def.fn
  (#any-of? @_word "callback" "macrocallback"))
((unary_operator operand: (_ target: (identifier) @vis (arguments . (binary_operator left: [
    (identifier) @name
    (_ target: (identifier) @name)
  ])))) @def.type
  (#any-of? @vis "type" "typep" "opaque"))
((do_block (unary_operator operator: "@" operand: (_ target: (identifier) @name (arguments))) @def.const)
  (#not-match? @name "^(doc|moduledoc|typedoc|spec|type|typep|opaque|callback|macrocallback|behaviour|impl|derive|dialyzer|deprecated|since|optional_callbacks|enforce_keys|compile|before_compile|after_compile|on_load|external_resource|tag|moduletag|describetag|on_definition|vsn|file|nifs|fallback_to_any)$"))

((call target: (identifier) @_word (arguments . [(alias) (dot)] @name)) @def.use
  (#any-of? @_word "alias" "import" "require" "use"))
((unary_operator operand: (_ target: (identifier) @_word (arguments . (alias) @name))) @def.use
  (#eq? @_word "behaviour"))

((call target: (identifier) @_word (arguments . (string (quoted_content) @name)) (do_block) @body) @def.test
  (#any-of? @_word "test" "describe" "property" "feature"))
