"""Passes that choose the algorithm and the parameters of each nest of a kernel."""
