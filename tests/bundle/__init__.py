"""Bundles: programs as C libraries."""
