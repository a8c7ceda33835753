"""Packed layouts in numbers: points, blocks and terms of the algorithms that read them."""
