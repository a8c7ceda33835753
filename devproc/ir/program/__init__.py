"""The parts of a module: kernels, host functions, states, lives of values."""
