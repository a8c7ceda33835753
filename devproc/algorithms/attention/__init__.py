"""Attention in blocks of keys with a running maximum (Milakov and Gimelshein, 2018)."""
