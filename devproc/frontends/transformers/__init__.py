"""Language models of transformers as programs with several entries."""
