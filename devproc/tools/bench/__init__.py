"""Latency of one model on several engines, in turns, each in a process of its own."""
