"""Reading JSON from files that may be wrong, and saying all that is."""
