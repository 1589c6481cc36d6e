; Names.
(identifier) @ref
(constant) @ref
(call receiver: (_) @recv method: [(identifier) (constant)] @call)
(call !receiver method: (identifier) @call)
(scope_resolution scope: (_) @recv name: (constant) @member)
(scope_resolution !scope name: (constant) @member)

; A symbol that is handed to a call may name a method: `send(:run)`, `private :run`.
(call method: (identifier) @word arguments: (argument_list (simple_symbol) @member)
  (#not-any-of? @word "attr_accessor" "attr_reader" "attr_writer" "attr" "define_method" "new"))

; Supertypes, and modules that are mixed in.
(superclass [(constant) (scope_resolution)] @extends)
(call method: (identifier) @mix arguments: (argument_list [(constant) (scope_resolution)] @implements)
  (#any-of? @mix "include" "extend" "prepend"))

; Scopes.
[(method) (singleton_method) (lambda)] @fn
[(block) (do_block)] @scope

; Locals.
(method_parameters (identifier) @local)
(method_parameters (_ name: (identifier) @local))
(block_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(assignment left: (identifier) @local right: (_) @value)
(left_assignment_list (identifier) @local)
(operator_assignment left: (identifier) @local)
(exception_variable (identifier) @local)
(for pattern: (identifier) @local)
; RSpec's values, and what a group describes: `described_class`.
(call !receiver method: (identifier) @word arguments: (argument_list . (simple_symbol) @local) block: (_ body: (_ (_) @value .))
  (#any-of? @word "let" "let!" "subject" "subject!"))
(call !receiver method: (identifier) @local !arguments block: (_ body: (_ (_) @value .)) (#any-of? @local "subject" "subject!"))
(call method: (identifier) @word arguments: (argument_list . [(constant) (scope_resolution)] @value) block: (do_block "do" @local)
  (#any-of? @word "describe" "context"))

; What fields are, and what calls give.
(return (argument_list . (_) @return .))
(method body: (body_statement (_) @return .))
(singleton_method body: (body_statement (_) @return .))
(assignment left: [(instance_variable) (class_variable)] @field right: (_) @value)
(operator_assignment left: [(instance_variable) (class_variable)] @field right: (_) @value)

; Imports.
(call !receiver method: (identifier) @require arguments: (argument_list . (string)) (#any-of? @require "require" "require_relative" "load" "autoload")) @import
(call !receiver method: (identifier) @autoload arguments: (argument_list (simple_symbol) (string)) (#eq? @autoload "autoload")) @import
