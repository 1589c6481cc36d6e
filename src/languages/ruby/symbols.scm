; `module A::B` is B inside A.
(module name: [(constant) @name (scope_resolution scope: (_)? @scope name: (_) @name)] body: (_)? @body) @def.module
(class name: [(constant) @name (scope_resolution scope: (_)? @scope name: (_) @name)] superclass: (_)? body: (_)? @body) @def.class
((assignment
  left: (constant) @name
  right: (call receiver: (constant) @_maker method: (identifier) @_new block: (_ body: (_)? @body)?)) @def.struct
  (#any-of? @_maker "Struct" "Data")
  (#any-of? @_new "new" "define"))

(method name: (_) @name body: (_)? @body "end"? @body) @def.fn
(singleton_method object: (self) name: (_) @name body: (_)? @body "end"? @body) @def.fn
(singleton_method object: [(constant) (identifier)] @scope name: (_) @name body: (_)? @body "end"? @body) @def.fn
; `private def f`, `protected attr_reader :x` and the like.
((call method: (identifier) @vis arguments: (argument_list . [(method name: (_) @name) (singleton_method name: (_) @name)] @def.fn))
  (#any-of? @vis "private" "protected" "public" "private_class_method"))

; After a bare `private` or `protected`.
((body_statement (identifier) @vis (method name: (_) @name) @def.fn)
  (#any-of? @vis "private" "protected"))

(assignment left: [(constant) @name (scope_resolution scope: (_) @scope name: (_) @name)]) @def.const
(assignment left: (left_assignment_list (constant) @name)) @def.const

; Definitions that are calls.
((call method: (identifier) @_word arguments: (argument_list [(simple_symbol) @name (string (string_content) @name)])) @def.property
  (#any-of? @_word "attr_accessor" "attr_reader" "attr_writer" "cattr_accessor" "mattr_accessor" "cattr_reader" "mattr_reader" "cattr_writer" "mattr_writer" "thread_mattr_accessor" "class_attribute"))
((call !receiver method: (identifier) @_word arguments: (argument_list . [(simple_symbol) @name (string (string_content) @name)])) @def.fn
  (#any-of? @_word "define_method" "alias_method"))
(alias name: (_) @name) @def.fn
((call method: (identifier) @_word arguments: (argument_list . [(string (string_content) @name) (constant) @name]) block: (_) @body) @def.test
  (#any-of? @_word "describe" "context" "it" "specify" "test" "scenario" "feature"))
((call !receiver method: (identifier) @_word arguments: (argument_list . (string (string_content) @name))) @def.use
  (#any-of? @_word "require" "require_relative" "load" "autoload"))
