"""Text from compiled language models: the loop around them."""
