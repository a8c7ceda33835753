"""How `nn` ops that have no loops of their own are made of others, by family."""
