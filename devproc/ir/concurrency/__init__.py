"""Locks that survive a fork, lazy properties, thread switching."""
