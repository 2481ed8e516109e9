(class name: [(constant) @name (scope_resolution name: (constant) @name)]) @type
(module name: [(constant) @name (scope_resolution name: (constant) @name)]) @type
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(assignment left: (constant) @name) @value
(call method: (identifier) @_m arguments: (argument_list . (string) @import) (#match? @_m "^(require|require_relative|load|autoload)$"))
(call method: (identifier) @call)
(comment) @prose
(string) @string
