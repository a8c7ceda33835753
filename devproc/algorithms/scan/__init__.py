"""Scans: cumulative sums, products, maxima and minima along a loop."""
