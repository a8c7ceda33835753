"""Fusion: which loops form one kernel, and how their bodies are merged."""
