"""Dialects that only code of the CPU has."""
