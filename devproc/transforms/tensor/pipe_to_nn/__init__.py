"""How each step of the user's program becomes `nn` ops: a table for each family."""
