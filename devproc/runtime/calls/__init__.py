"""From the arguments of a call to inputs in memory, and from outputs to results."""
