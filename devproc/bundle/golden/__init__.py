"""Golden cases: inputs with results, by which a bundle tests itself."""
