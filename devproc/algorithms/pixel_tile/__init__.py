"""Windows of few channels: a tile of pixels by vectors of channels."""
