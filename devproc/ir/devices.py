"""The devices that a program can be compiled for, as the user names them."""

from __future__ import annotations

TARGETS = ("cpu", "cuda", "cpu+cuda", "cuda:interpret", "cpu+cuda:interpret")
"""The values of `target=`; `:interpret` runs GPU kernels without a GPU."""


def memory_devices(target: str) -> frozenset[str]:
    """The devices whose memory a program may use; always includes the host."""
    return frozenset({"cpu", *target.partition(":")[0].split("+")})
