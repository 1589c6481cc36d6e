(package_header (qualified_identifier) @name) @def.package
(import (qualified_identifier) @name) @def.use

; Types. An enum class is told from a class by its modifier.
(class_declaration (modifiers)? @vis "interface" name: (_) @name (class_body)? @body) @def.interface
((class_declaration (modifiers) @vis "class" name: (_) @name (enum_class_body)? @body) @def.enum
  (#match? @vis "\\benum\\b"))
((class_declaration (modifiers)? @vis "class" name: (_) @name (class_body)? @body) @def.class
  (#not-match? @vis "\\benum\\b"))
(object_declaration (modifiers)? @vis name: (_) @name (class_body)? @body) @def.object
(companion_object (modifiers)? @vis name: (_) @name (class_body)? @body) @def.object
; Without a name of its own it is called by its keyword.
(companion_object !name (modifiers)? @vis "companion" @name (class_body)? @body) @def.object
(enum_entry (identifier) @name (class_body)? @body) @def.variant
(type_alias (modifiers)? @vis type: (_) @name) @def.type

; What the grammar fails on: `@A public annotation class B` without a body reads as an expression, and an error may
; swallow a class with everything in it. The head is kept.
((infix_expression . (infix_expression (identifier) @_word .) @def.class . (identifier) @name @last)
  (#eq? @_word "class"))
((infix_expression . (identifier) @def.class . (identifier) @_word . (identifier) @name @last)
  (#eq? @_word "class"))
(ERROR "class" @def.class . (identifier) @name @last)
(ERROR "interface" @def.interface . (identifier) @name @last)

; Constructors: the primary one only where it is spelt with its keyword.
(secondary_constructor (modifiers)? @vis "constructor" @name (block)? @body) @def.constructor
(primary_constructor (modifiers)? @vis "constructor" @name) @def.constructor

; Functions. The receiver of an extension stands just before the dot.
(function_declaration (modifiers)? @vis "fun" . (type_parameters)? . name: (_) @name (function_body)? @body) @def.fn
(function_declaration (modifiers)? @vis [(user_type) @scope (nullable_type (user_type) @scope) (parenthesized_type) @scope] . "." . name: (_) @name (function_body)? @body) @def.fn

; Properties; those of functions are local and left out.
(source_file (property_declaration (modifiers)? @vis "val" (variable_declaration . (identifier) @name) (getter)? @body) @def.const)
(source_file (property_declaration (modifiers)? @vis "var" (variable_declaration . (identifier) @name) (getter)? @body) @def.var)
(source_file (property_declaration (modifiers)? @vis [(user_type) @scope (nullable_type (user_type) @scope)] . "." . (variable_declaration . (identifier) @name) (getter)? @body) @def.property)
(class_body (property_declaration (modifiers)? @vis (variable_declaration . (identifier) @name) (getter)? @body) @def.property)
(enum_class_body (property_declaration (modifiers)? @vis (variable_declaration . (identifier) @name) (getter)? @body) @def.property)
(class_parameter (modifiers)? @vis ["val" "var"] . (identifier) @name) @def.property
