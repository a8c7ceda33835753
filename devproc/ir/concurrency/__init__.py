"""Locks that survive a fork, values made once, switches between threads."""
