"""Expansion, depthwise window and projection in one kernel, line by line."""
