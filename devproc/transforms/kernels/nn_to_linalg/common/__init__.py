"""Shared by the lowerings of several families."""
