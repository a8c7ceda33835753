"""The bounds of the steps of a program."""
