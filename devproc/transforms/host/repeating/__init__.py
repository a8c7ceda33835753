"""What the pass repeat-segments makes."""
