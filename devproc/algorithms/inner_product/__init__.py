"""Products by Winograd's inner product: sums of pairs (Winograd, 1968)."""
