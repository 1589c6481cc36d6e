; Names.
(identifier) @ref
(type_identifier) @ref
; Of a macro's body the grammar knows the text only.
(preproc_def value: (preproc_arg) @ref)
(preproc_function_def value: (preproc_arg) @ref)
(field_expression argument: (_) @recv field: (field_identifier) @member)
(field_designator (field_identifier) @key)

; Scopes.
(function_definition) @fn
[(compound_statement) (for_statement)] @scope
(preproc_function_def parameters: (_) @fn value: (_) @value)

; Locals.
(parameter_declaration type: (_) @type declarator: (identifier) @local)
(parameter_declaration type: (_) @type declarator: (pointer_declarator declarator: (identifier) @local))
(parameter_declaration type: (_) @type declarator: (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @local)))
(parameter_declaration type: (_) @type declarator: (array_declarator declarator: (identifier) @local))
(declaration type: (_) @type declarator: (identifier) @local)
(declaration type: (_) @type declarator: (pointer_declarator declarator: (identifier) @local))
(declaration type: (_) @type declarator: (array_declarator declarator: (identifier) @local))
(declaration type: (_) @type declarator: (init_declarator declarator: (identifier) @local value: (_) @value))
(declaration type: (_) @type declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @local)))
(declaration type: (_) @type declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @local)))
(preproc_params (identifier) @local)

; What fields are, and what calls give.
(field_declaration type: (_) @type declarator: (field_identifier) @field)
(field_declaration type: (_) @type declarator: (pointer_declarator declarator: (field_identifier) @field))
(function_definition type: (_) @type declarator: (function_declarator declarator: (identifier) @result))
(function_definition type: (_) @type declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @result)))
(declaration type: (_) @type declarator: (function_declarator declarator: (identifier) @result))
(declaration type: (_) @type declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @result)))
(type_definition type: (_) @type declarator: (type_identifier) @result)
(type_definition type: (_) @type declarator: (pointer_declarator declarator: (type_identifier) @result))
(declaration type: (_) @type declarator: (array_declarator declarator: (identifier) @local))
(parameter_declaration type: (_) @type declarator: (array_declarator declarator: (identifier) @local))

; Imports.
(preproc_include) @import
