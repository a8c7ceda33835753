"""Reading of JSON from files that may be wrong, with complete diagnostics."""
