"""Formulas that the lowerings of several families share."""
