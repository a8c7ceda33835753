"""Elementary functions as arithmetic: ranges, polynomials, roundings."""
