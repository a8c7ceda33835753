"""Programs evaluated by the references of their ops, pass by pass."""
