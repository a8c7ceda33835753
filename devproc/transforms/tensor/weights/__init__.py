"""Forms in which weights of the stage `tensor` are stored."""
