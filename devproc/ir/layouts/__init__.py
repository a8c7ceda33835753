"""Constants of packed weight layouts: points, blocks and terms of their algorithms."""
