"""The base of all steps: their class, layouts, and the mapping back to sources."""
