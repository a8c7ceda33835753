"""Verification of a module after a stage, and checks of values at run time."""
