"""The C runtime of bundles, and the LLVM IR that it is shipped as."""
