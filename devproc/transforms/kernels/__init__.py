"""From tensor ops to kernels: structured loops, fusion, one function per kernel."""
