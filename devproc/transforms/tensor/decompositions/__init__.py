"""Decompositions of composite `nn` ops, by family."""
