"""Weights beside the IR: their table, bytes, hashes and preparation."""
