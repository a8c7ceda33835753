"""Modules as text: parser, printer, locations and names."""
