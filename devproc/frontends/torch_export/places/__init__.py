"""Import rules that move elements: indexing, scatter, joins, strides, masks."""
