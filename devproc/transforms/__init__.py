"""The passes, one folder per stage, one pass per file."""
