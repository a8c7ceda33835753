"""From kernels, tables and the C runtime to object code and a shared library."""
