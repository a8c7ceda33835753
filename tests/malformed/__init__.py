"""Tables of malformed programs, one file per family of ops."""
