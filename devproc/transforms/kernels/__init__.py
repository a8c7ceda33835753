"""From tensor ops to kernels: structured loops, fusion, one function for each kernel."""
