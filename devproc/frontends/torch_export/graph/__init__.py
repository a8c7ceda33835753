"""Reads an exported program: its source, nodes, parameters, states and refusals."""
