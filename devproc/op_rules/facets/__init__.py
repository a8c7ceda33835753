"""The tables of all families, combined by facet."""
