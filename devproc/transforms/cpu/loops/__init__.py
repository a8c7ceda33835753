"""Emits loops, accesses and vectors: what every expansion is written with."""
