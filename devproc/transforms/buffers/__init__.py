"""Stage `buffers`: tensors become memory, and every buffer gets its place."""
