"""Import tables, ATen operator to `nn` op, a file for each family."""
