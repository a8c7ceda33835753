"""The handles that steps give to a user."""
