"""Import rules that move elements: indexing, scatter, joins, padding, strides, masks."""
