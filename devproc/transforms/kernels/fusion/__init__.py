"""Fusion: which loops make one kernel, and how their bodies become one."""
