"""Between scheduled nests and machine vectors: what the passes over tiles share."""
