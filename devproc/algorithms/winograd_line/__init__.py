"""Convolutions of few channels by Winograd's minimal filtering along lines."""
