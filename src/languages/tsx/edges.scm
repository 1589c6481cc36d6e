; Tags in lower case are names of the document's elements; the others are components.
(jsx_opening_element name: (identifier) @key (#match? @key "^[a-z]"))
(jsx_closing_element name: (identifier) @key (#match? @key "^[a-z]"))
(jsx_self_closing_element name: (identifier) @key (#match? @key "^[a-z]"))
