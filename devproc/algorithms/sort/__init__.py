"""Sorting lines: by ranks, insertion, radix; the first places by bisection."""
