"""What rows of each facet are, and what rows of several families share."""
