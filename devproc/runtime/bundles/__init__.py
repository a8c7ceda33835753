"""A program to run or save: its file, what stands in it, and the checks before anything of it runs."""
