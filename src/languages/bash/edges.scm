; Names.
(command_name (word) @call)
(variable_name) @ref
; Functions that are handed on by their names.
((command name: (command_name (word) @handing) argument: (word) @call)
  (#any-of? @handing "trap" "complete" "run" "type" "eval" "time" "command"))
((command argument: (word) @ref) (#match? @ref "^[A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_:-]+$"))
((declaration_command (word) @flags (variable_name) @call) (#match? @flags "^-[a-z]*f"))

; Scopes.
(function_definition) @fn

; Locals.
((declaration_command . "local" (variable_assignment name: (variable_name) @local)))
((declaration_command . "local" (variable_name) @local))
((declaration_command . ["declare" "typeset"] (variable_assignment name: (variable_name) @local)))
((declaration_command . ["declare" "typeset"] (variable_name) @local))

; Imports.
((command name: (command_name (word) @source)) @import (#any-of? @source "source" "."))
