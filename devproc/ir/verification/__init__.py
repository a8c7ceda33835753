"""What holds of a module after a stage, and of the values that it computes."""
