"""The passes of stage `llvm`: CPU functions become the `llvm` dialect."""
