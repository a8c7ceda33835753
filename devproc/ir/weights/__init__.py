"""Weights, which are kept outside of the IR: their table, memory, hashes, preparation."""
