"""Reductions: along rows, or along outputs in columns."""
