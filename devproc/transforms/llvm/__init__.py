"""The passes of stage `llvm`, which lower CPU functions to the `llvm` dialect."""
