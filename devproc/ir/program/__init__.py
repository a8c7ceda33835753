"""Parts of a module: kernels, structured loops, states, weights."""
