"""The formats in which `devproc.compile(..., weights=...)` stores constant matrices.

Integers are in groups of consecutive terms. Those of int8 and int4 have a float16 scale for
each group, as Q8_0 and Q4_0 of GGUF: `weight = scale * number`. Those of uint8 and uint4
have a zero point, too: `weight = scale * (number - zero)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from devproc.errors import CompileError, did_you_mean

ORIGINAL = "original"
"""The option that leaves all weights as they are in the model."""

BITS = {"int8": 8, "int4": 4, "uint8": 8, "uint4": 4, "bfloat16": 16, "float16": 16}
"""dtype -> bits of a stored number."""

FLOAT24 = "float24"
"""The option that stores float32 matrices in 24 bits a number, with an exponent for each block,
where a CPU reads those as fast: a layout (`ir/layouts/block_float.py`), not another dtype."""

HALVES = ("bfloat16", "float16")
ZERO_POINTS = ("uint8", "uint4")
INTEGERS = ("int8", "int4", *ZERO_POINTS)
GROUPS = (32, 64)
"""Terms that may share a scale; the first is the default."""

SCALE_BITS, ZERO_BITS = 16, 8


@dataclass(frozen=True)
class WeightFormat:
    """How the numbers of a matrix (N, K) are stored; `group` terms of K share a scale.

    Floats have no scales, their group is 1.
    """

    dtype: str
    group: int

    @property
    def bits(self) -> int:
        """Bits of a number, without its share of the scale."""
        return BITS[self.dtype]

    @property
    def is_integer(self) -> bool:
        """Whether numbers are integers with a scale for each group."""
        return self.dtype in INTEGERS

    @property
    def has_zeros(self) -> bool:
        """Whether numbers are unsigned integers with a zero point for each group."""
        return self.dtype in ZERO_POINTS

    @property
    def zero(self) -> int:
        """What is added to a signed integer, which is stored unsigned."""
        return 0 if self.has_zeros else 1 << (self.bits - 1)

    def __str__(self) -> str:
        return f"{self.dtype}:{self.group}" if self.is_integer else self.dtype


def options() -> list[str]:
    """All texts that `parse` takes, without the default groups."""
    grouped = [f"{dtype}:{group}" for dtype in INTEGERS for group in GROUPS[1:]]
    return [ORIGINAL, *BITS, *grouped, FLOAT24]


@cache
def parse_format(text: str) -> WeightFormat | None:
    """The format of an option such as "int8", "int4:64" or "bfloat16"; None for
    "original" and "float24", which leave the dtype.

    Raises CompileError for another text.
    """
    if text in (ORIGINAL, FLOAT24):
        return None
    dtype, _, group = text.partition(":")
    known = {str(size): size for size in GROUPS}
    if dtype in INTEGERS and (not group or group in known):
        return WeightFormat(dtype, known.get(group, GROUPS[0]))
    if text in BITS:
        return WeightFormat(text, 1)
    names = options()
    raise CompileError(
        f"unknown weights '{text}'; one of {', '.join(names)}{did_you_mean(text, names)}"
    )
