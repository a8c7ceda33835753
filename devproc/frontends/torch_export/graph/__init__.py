"""Reads an exported program and builds ops: its source, parameters, and refusals."""
