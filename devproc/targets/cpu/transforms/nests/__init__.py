"""Loop nests: grouping ops, simplifying loops, vectorising bodies."""
