"""Stage `buffers`: tensors become buffers, which the memory plan allocates."""
