"""Calls of a program: arguments to inputs in memory, and outputs to results."""
