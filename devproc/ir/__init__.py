"""Helpers every level shares: types, locations, weights, verification."""
