"""Saved programs: the file format, its content, and the checks before anything runs."""
