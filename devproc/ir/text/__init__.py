"""Modules as text: parser, printer, locations, and the names in them."""
