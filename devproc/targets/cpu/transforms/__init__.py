"""CPU kernels: from `linalg` on memrefs to loops and vectors, one schedule per family."""
