"""Shared by the passes that lower scheduled nests through tiles to machine vectors."""
