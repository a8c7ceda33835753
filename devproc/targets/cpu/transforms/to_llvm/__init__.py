"""The rules of `convert-to-llvm`: one file per source dialect, one function per op."""
