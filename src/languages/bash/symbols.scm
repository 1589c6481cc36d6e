(function_definition name: (_) @name body: (_) @body) @def.fn

; Variables of the file. `readonly` and `declare -r` make constants; a whole script in braces is still the file.
((program (declaration_command . ["readonly" "declare" "typeset"] @_word (word)? @_flags (variable_assignment name: (variable_name) @name)) @def.const)
  (#match? @def.const "^(readonly|(declare|typeset)\\s+-\\w*r)"))
((program (declaration_command [(variable_assignment name: (variable_name) @name) (variable_name) @name]) @def.var)
  (#not-match? @def.var "^(local|readonly|(declare|typeset)\\s+-\\w*r)"))
(program (variable_assignment name: (variable_name) @name) @def.var)
(program (compound_statement (variable_assignment name: (variable_name) @name) @def.var))

; `alias a=… b=…` defines words that stand for text.
((command name: (command_name (word) @_word) argument: [(concatenation . (word) @name) (word) @name]) @def.macro
  (#eq? @_word "alias")
  (#match? @name "^[^-=][^=]*="))
((command name: (command_name (word) @_word) . argument: (_) @name) @def.use
  (#match? @_word "^(source|\\.)$"))
