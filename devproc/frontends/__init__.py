"""Ways into the compiler: the DSL and the `torch.export` importer."""
