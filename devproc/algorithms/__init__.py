"""Algorithms of kernels: one package each."""
