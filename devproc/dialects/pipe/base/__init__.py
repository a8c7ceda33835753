"""What all steps share: the class, layouts, and where results come from."""
