"""Integer models: what the CPU computes, bit for bit."""
