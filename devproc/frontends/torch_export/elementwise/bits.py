"""Operators on the bits of floats, and divisors of integers.

Functions of PyTorch tensors, traced into `nn` ops (see `composites`); rows of
`elementary`.
"""

from __future__ import annotations

from math import ceil, log

import torch
from torch import Tensor

from devproc.frontends.torch_export.graph.builder import ImportRule, rows_of
from devproc.frontends.torch_export.graph.composites import composed_of

INTEGERS = {2: torch.int16, 4: torch.int32, 8: torch.int64}
"""Size of a float in bytes -> the integer dtype of its bits."""

GOLDEN = (1 + 5**0.5) / 2


def _bits(x: Tensor) -> Tensor:
    return x.view(INTEGERS[x.element_size()])


def _with_floats(x: Tensor | float, y: Tensor | float) -> tuple[Tensor, Tensor]:
    """Both operands in the floating-point dtype of the result."""
    dtype = torch.result_type(x, y)
    dtype = dtype if dtype.is_floating_point else torch.get_default_dtype()
    left, right = (torch.as_tensor(v).to(dtype) for v in (x, y))
    return left, right


def signbit(x: Tensor) -> Tensor:
    """Whether the sign bit is set, also for zeros and NaN."""
    return _bits(x) < 0 if x.is_floating_point() else x < 0


def copysign(x: Tensor, y: Tensor | float) -> Tensor:
    """The magnitude of x with the sign of y."""
    x, y = _with_floats(x, y)
    sign = torch.iinfo(INTEGERS[x.element_size()]).min
    return ((_bits(x) & ~sign) | (_bits(y) & sign)).view(x.dtype)


def nextafter(x: Tensor, y: Tensor) -> Tensor:
    """The next float from x towards y: the bits as an integer, plus or minus one."""
    x, y = _with_floats(x, y)
    bits = _bits(x)
    away = bits + torch.where((x < y) == (x > 0), 1, -1).to(bits.dtype)
    smallest = torch.where(y < 0, torch.iinfo(bits.dtype).min + 1, 1).to(bits.dtype)
    moved = torch.where(x == 0, smallest, away).view(x.dtype)
    moved = torch.where(x == y, y.expand_as(moved), moved)
    return torch.where(x.isnan() | y.isnan(), x + y, moved)


def frexp(x: Tensor) -> tuple[Tensor, Tensor]:
    """x as a mantissa in [0.5, 1) and the exponent of a power of two."""
    wide = x.double()
    # Subnormal numbers are scaled to have an exponent.
    small = wide.abs() < 2.0**-1022
    bits = _bits(torch.where(small, wide * 2.0**54, wide))
    exponent = ((bits >> 52) & 0x7FF) - 1022 - torch.where(small, 54, 0)
    mantissa = ((bits & ~(0x7FF << 52)) | (1022 << 52)).view(torch.float64)
    plain = (wide == 0) | ~wide.isfinite()
    mantissa = torch.where(plain, wide, mantissa).to(x.dtype)
    return mantissa, torch.where(plain, 0, exponent).to(torch.int32)


def hypot(x: Tensor, y: Tensor) -> Tensor:
    """sqrt(x * x + y * y) without overflow or underflow of the squares; infinite where
    either operand is, even if the other is NaN.
    """
    x, y = _with_floats(x, y)
    a, b = x.double(), y.double()
    most = torch.maximum(a.abs(), b.abs())
    small, large = (torch.full((), 2.0**n, dtype=a.dtype) for n in (-600, 600))
    scale = torch.where(most > 2.0**500, small, 1.0)
    scale = torch.where(most < 2.0**-500, large, scale)
    a, b = a * scale, b * scale
    value = (a * a + b * b).sqrt() / scale
    infinite = x.isinf() | y.isinf()
    return torch.where(infinite, float("inf"), value).to(x.dtype)


def gcd(x: Tensor, y: Tensor) -> Tensor:
    """The greatest common divisor by Euclid's algorithm, with the largest number of steps
    that the dtype can need: that of consecutive Fibonacci numbers.

    The remainder by 0 is 0 in a compiled program, so that extra steps change nothing.
    """
    dtype = torch.result_type(x, y)
    x, y = x.to(dtype).abs(), y.to(dtype).abs()
    for _ in range(ceil(log(torch.iinfo(dtype).max * 5**0.5) / log(GOLDEN))):
        x, y = torch.where(y == 0, x, y), torch.fmod(x, y)
    return x


def lcm(x: Tensor, y: Tensor) -> Tensor:
    """The least common multiple; 0 where an operand is 0."""
    divisor = gcd(x, y)
    part = torch.where(divisor == 0, 0, torch.div(x, divisor, rounding_mode="trunc"))
    return (part.to(divisor.dtype) * y).abs()


BITS: dict[str, ImportRule] = {
    **rows_of(composed_of(copysign), "copysign.Scalar copysign.Tensor"),
    "aten.frexp.Tensor": composed_of(frexp),
    **{
        f"aten.{function.__name__}.default": composed_of(function)
        for function in (signbit, nextafter, hypot, gcd, lcm)
    },
}
"""ATen overload -> import rule."""
