; Properties that are handed to a component.
(jsx_opening_element name: (_) @recv attribute: (jsx_attribute (property_identifier) @key))
(jsx_self_closing_element name: (_) @recv attribute: (jsx_attribute (property_identifier) @key))
