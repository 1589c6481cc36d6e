; Names.
(identifier) @ref
(type_identifier) @ref
; Of a macro's body the grammar knows the text only.
(preproc_def value: (preproc_arg) @ref)
(preproc_function_def value: (preproc_arg) @ref)
(namespace_identifier) @ref
(field_expression argument: (_) @recv field: (field_identifier) @member)
(field_expression argument: (_) @recv field: (template_method name: (field_identifier) @member))
(qualified_identifier scope: (_) @recv name: [(identifier) (type_identifier)] @member)
(qualified_identifier scope: (_) @recv name: (template_function name: (identifier) @member))
(qualified_identifier scope: (_) @recv name: (template_type name: (type_identifier) @member))
; A specialisation's name is its own.
(function_declarator declarator: (template_function name: (identifier) @key))
; What a constructor begins with: fields and the supertype.
(field_initializer . (field_identifier) @ref (argument_list) @value)
(field_initializer . (field_identifier) @ref (initializer_list) @value)
; A destructor's name is no use of its type.
(destructor_name (identifier) @key)
(new_expression type: (type_identifier) @call)

; Supertypes.
(base_class_clause [(type_identifier) (qualified_identifier)] @extends)
(base_class_clause (template_type name: (type_identifier) @extends))
(base_class_clause (qualified_identifier name: (template_type name: (type_identifier) @extends)))
(base_class_clause (qualified_identifier name: (qualified_identifier name: (template_type name: (type_identifier) @extends))))

; Scopes.
[(function_definition) (lambda_expression)] @fn
[(compound_statement) (for_statement) (for_range_loop) (template_declaration) (catch_clause)] @scope
(preproc_function_def parameters: (_) @fn value: (_) @value)

; Locals.
(parameter_declaration type: (_) @type declarator: (identifier) @local)
(parameter_declaration type: (_) @type declarator: (pointer_declarator declarator: (identifier) @local))
(parameter_declaration type: (_) @type
  declarator: (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @local)))
(parameter_declaration type: (_) @type declarator: (reference_declarator (identifier) @local))
(optional_parameter_declaration type: (_) @type declarator: (identifier) @local)
(declaration type: (_) @type declarator: (identifier) @local)
(declaration type: (_) @type declarator: (pointer_declarator declarator: (identifier) @local))
(declaration type: (_) @type declarator: (init_declarator declarator: (identifier) @local value: (_) @value))
(declaration type: (_) @type declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @local) value: (_) @value))
(declaration type: (_) @type declarator: (init_declarator declarator: (reference_declarator (identifier) @local) value: (_) @value))
; `Writer out(file);` in a function reads like a prototype and is a variable.
(compound_statement (declaration type: (_) @type declarator: (function_declarator declarator: (identifier) @local)))
(for_range_loop type: (_) @type declarator: (identifier) @local right: (_) @item)
(for_range_loop type: (_) @type declarator: (reference_declarator (identifier) @local) right: (_) @item)
(type_parameter_declaration (type_identifier) @local)
(preproc_params (identifier) @local)

; What fields are, and what calls give.
(field_declaration type: (_) @type declarator: (field_identifier) @field)
(field_declaration type: (_) @type declarator: (pointer_declarator declarator: (field_identifier) @field))
(field_declaration type: (_) @type declarator: (reference_declarator (field_identifier) @field))
(function_definition type: (_) @type declarator: (function_declarator declarator: [(identifier) (field_identifier)] @result))
(function_definition type: (_) @type declarator: (function_declarator declarator: (qualified_identifier name: (identifier) @result)))
(function_definition type: (_) @type declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier)] @result)))
(function_definition type: (_) @type declarator: (reference_declarator (function_declarator declarator: [(identifier) (field_identifier)] @result)))
(function_definition type: (_) @type declarator: [
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier name: (identifier) @result)))
  (reference_declarator (function_declarator declarator: (qualified_identifier name: (identifier) @result)))
])
(field_declaration type: (_) @type declarator: [
  (function_declarator declarator: (field_identifier) @result)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @result))
  (reference_declarator (function_declarator declarator: (field_identifier) @result))
])
(declaration type: (_) @type declarator: [
  (function_declarator declarator: (identifier) @result)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @result))
  (reference_declarator (function_declarator declarator: (identifier) @result))
])
(alias_declaration name: (type_identifier) @result type: (_) @type)
(type_definition type: (_) @type declarator: (type_identifier) @result)

; Imports.
(preproc_include) @import
