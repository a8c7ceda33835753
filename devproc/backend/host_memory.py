"""Memory of the host, as that of devices without one of their own."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch


def view_bytes(
    memory: torch.Tensor, offset: int, dtype: str, shape: Sequence[int]
) -> torch.Tensor:
    """A tensor over `memory` (uint8, one dimension) from byte `offset` on."""
    kind: torch.dtype = getattr(torch, dtype)
    part = memory[offset : offset + prod(shape) * kind.itemsize]
    return part.view(kind).view(tuple(shape))
