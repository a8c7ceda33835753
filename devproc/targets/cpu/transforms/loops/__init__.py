"""Emits loops, accesses and vectors; used by all expansions."""
