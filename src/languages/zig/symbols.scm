(function_declaration ["pub" "export"]? @vis name: (_) @name body: (_)? @body) @def.fn

; A constant that holds a type is that type.
(variable_declaration "pub"? @vis "const" . (identifier) @name (struct_declaration "{" @body)) @def.struct
(variable_declaration "pub"? @vis "const" . (identifier) @name (opaque_declaration "{" @body)) @def.struct
(variable_declaration "pub"? @vis "const" . (identifier) @name (enum_declaration "{" @body)) @def.enum
(variable_declaration "pub"? @vis "const" . (identifier) @name (error_set_declaration "{" @body)) @def.enum
(variable_declaration "pub"? @vis "const" . (identifier) @name (union_declaration "{" @body)) @def.union
(struct_declaration (container_field name: (identifier) @name type: (_)) @def.field)
(source_file (container_field name: (identifier) @name type: (_)) @def.field)
(union_declaration (container_field name: (identifier) @name) @def.field)
((enum_declaration (container_field name: (identifier) @name) @def.variant)
  (#not-eq? @name "_"))
(error_set_declaration (identifier) @name @def.variant)

; Constants and variables of files and types; those of functions are local and left out.
((source_file (variable_declaration ["pub" "export"]? @vis "const" . (identifier) @name) @def.const)
  (#not-match? @def.const "^(pub )?const \\w+ = @import\\("))
(source_file (variable_declaration ["pub" "export"]? @vis "var" . (identifier) @name) @def.var)
(struct_declaration (variable_declaration ["pub" "export"]? @vis "const" . (identifier) @name) @def.const)
(struct_declaration (variable_declaration ["pub" "export"]? @vis "var" . (identifier) @name) @def.var)
(enum_declaration (variable_declaration "pub"? @vis "const" . (identifier) @name) @def.const)
(union_declaration (variable_declaration "pub"? @vis "const" . (identifier) @name) @def.const)

(test_declaration [(string (string_content) @name) (identifier) @name] (block) @body) @def.test
((variable_declaration "pub"? @vis (builtin_function (builtin_identifier) @_word (arguments . (string (string_content) @name)))) @def.use
  (#eq? @_word "@import"))
((builtin_function (builtin_identifier) @_word (arguments . (string (string_content) @name))) @def.use
  (#eq? @_word "@import"))
