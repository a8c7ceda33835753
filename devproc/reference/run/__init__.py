"""Runs a module op by op in PyTorch."""
