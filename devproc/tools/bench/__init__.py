"""Latency of a model on several engines, in alternation, each in its own process."""
