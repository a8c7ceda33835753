"""Which algorithm computes each nest of a kernel, with which numbers: passes that decide."""
