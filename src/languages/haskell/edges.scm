; Names. Whatever is no type is a value, and a value is a function: each use of one counts as a call.
(variable) @call
(constructor) @call
(operator) @call
(name) @ref
(qualified module: (_) @recv id: [(variable) (constructor) (operator)] @call)
(qualified module: (_) @recv id: (name) @member)
(instance name: (name) @implements)
; The equations of a function are its definition.
(function name: (variable) @key)
(function (infix operator: (operator) @key))
(bind name: (variable) @key)

; Scopes.
(function) @fn
[(bind) (do) (let_in) (lambda) (alternative) (list_comprehension) (signature) (instance)] @scope

; Locals.
(patterns (variable) @local)
(patterns (_ pattern: (apply argument: (variable) @local)))
(patterns (_ pattern: (apply function: (apply argument: (variable) @local))))
(patterns (_ pattern: (infix left_operand: (variable) @local)))
(patterns (_ pattern: (infix right_operand: (variable) @local)))
(patterns (tuple element: (variable) @local))
(patterns (list element: (variable) @local))
(as bind: (variable) @local)
(bind pattern: (variable) @local)
(bind pattern: (tuple element: (variable) @local))
(generator pattern: (variable) @local)
(generator pattern: (tuple element: (variable) @local))
(alternative pattern: (variable) @local)
(alternative pattern: (apply argument: (variable) @local))
(alternative pattern: (apply function: (apply argument: (variable) @local)))
(alternative pattern: (infix left_operand: (variable) @local))
(alternative pattern: (infix right_operand: (variable) @local))
(alternative pattern: (tuple element: (variable) @local))
(field_pattern pattern: (variable) @local)
(local_binds (bind name: (variable) @local))
(local_binds (function name: (variable) @local))
(type_params bind: (variable) @local)

; Imports, and what the module exports.
(import) @import
(header) @import
