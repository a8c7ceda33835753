"""The devices that a program can be compiled for, as the user names them."""

from __future__ import annotations

TARGETS = ("cpu", "cuda", "cpu+cuda", "cuda:interpret", "cpu+cuda:interpret")
"""What `target=` may be; `:interpret` runs the GPU's kernels without a GPU."""


def memory_devices(target: str) -> frozenset[str]:
    """The devices in whose memory a program may keep tensors; the host always."""
    return frozenset({"cpu", *target.partition(":")[0].split("+")})
