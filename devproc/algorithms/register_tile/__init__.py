"""Contractions as tiles of accumulators that stay in registers, over packed panels."""
