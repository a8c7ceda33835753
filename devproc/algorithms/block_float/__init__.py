"""Products of few rows with a weight in blocks of floats that share an exponent."""
