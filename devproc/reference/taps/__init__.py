"""Taps of resampling as PyTorch, Pillow and OpenCV compute them."""
