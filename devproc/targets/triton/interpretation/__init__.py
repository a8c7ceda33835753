"""Printed kernels as NumPy programs: values, memory, control flow, traffic."""
