"""The type of references, shared by all families."""
