"""Import rules of functions of single elements, as formulas of primitive ops."""
