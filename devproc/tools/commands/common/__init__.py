"""What several commands need: options, sources, inputs and outputs."""
