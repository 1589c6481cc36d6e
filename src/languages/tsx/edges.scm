(jsx_attribute (property_identifier) @key)
