"""Elementwise kernels: vectors along one loop, several at a time."""
