"""A device that is none, which checks and records what programs ask of a card."""
