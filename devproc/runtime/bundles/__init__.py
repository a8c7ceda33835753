"""A saved program: its file, what stands in it, and the checks before anything of it runs."""
