"""Random values of operands, the same in every run."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import torch

from devproc.backend.conformance.samples import Operand, Sizes, size_of
from devproc.reference.conversion.arrays import TORCH_DTYPES

SPECIAL = (0.0, -0.0, torch.nan, torch.inf, -torch.inf, 1.0, -1.0)

RANGES = {
    "divisor": (1, 8),
    "shift": (0, 4),
    "exponent": (0, 4),
    "taps": (0, 1 << 20),
    "multiplier": (1 << 30, (1 << 31) - 1),
    "scale shift": (30, 40),
}
"""Values of an operand -> the first integer, and the one after the last."""


def draw(
    operand: Operand,
    dtype: str,
    sizes: Sizes,
    special: bool,
    generator: torch.Generator,
) -> torch.Tensor:
    """A tensor for an operand of a case in `dtype`; with `special`, any values include
    NaN, infinities, zeros of both signs, and the ends of integers.
    """
    shape = [size_of(token, sizes) for token in operand.shape.split()]
    kind = TORCH_DTYPES[operand.dtype or dtype]
    if kind.is_floating_point:
        found = 2 * torch.randn(shape, generator=generator)
        if operand.values in ("positive", "taps"):
            found = found.abs()
        numbers = torch.tensor(SPECIAL)
    else:
        low, high = _range_of(operand.values, kind, sizes)
        found = torch.randint(low, high, shape, generator=generator)
        numbers = _ends_of(kind)
    if special and operand.values == "any":
        flat = found.flatten()
        places = torch.arange(0, flat.numel(), 2)
        flat[places] = numbers[torch.arange(len(places)) % len(numbers)]
        found = flat.reshape(shape)
    return found.to(kind)


def _range_of(values: str, kind: torch.dtype, sizes: Sizes) -> tuple[int, int]:
    if kind is torch.bool:
        return 0, 2
    if values in RANGES:
        return RANGES[values]
    if values in ("any", "positive"):
        is_signed = values == "any" and torch.iinfo(kind).min < 0
        return (-9 if is_signed else 0), 10
    # An index of a size.
    return 0, max(size_of(values, sizes), 1)


def _ends_of(kind: torch.dtype) -> torch.Tensor:
    if kind is torch.bool:
        return torch.tensor([0, 1])
    ends = torch.iinfo(kind)
    return torch.tensor([ends.min, 0, ends.max])
