"""Lowering of `nn` ops to structured loops, by family."""
