"""Code generation: one folder per target."""
