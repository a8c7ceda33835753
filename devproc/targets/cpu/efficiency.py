"""The share of the CPU's peak rate that an op reaches."""

from __future__ import annotations

SCANS = ("cummax", "cummin", "cumprod", "cumsum", "logcumsumexp")

SHARES = {
    # Indexed loads are scalar.
    **dict.fromkeys(("nn.gather", "nn.resample", "nn.resize"), 0.1),
    **dict.fromkeys(("nn.scatter", "nn.sort"), 0.02),
    # A maximum, of a window or with its index, keeps few vector lanes busy.
    **dict.fromkeys(("nn.max_pool2d", "nn.sum_pool2d"), 0.25),
    "nn.argmax": 0.1,
    # Each element waits for the previous one.
    **{f"nn.{name}": 0.1 for name in SCANS},
}
"""Name of an op -> its share; of all others, `Backend.efficiency`."""
