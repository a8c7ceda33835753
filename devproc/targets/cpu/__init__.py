"""The CPU target: LLVM IR text, object code, the thread pool."""
