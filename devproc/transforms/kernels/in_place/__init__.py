"""Machinery of `update-in-place`: what may be overwritten, and in which order."""
