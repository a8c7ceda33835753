"""Scale factors as the integers that RESCALE multiplies and shifts by."""

from __future__ import annotations

import math

MULTIPLIER_LIMIT = 1 << 31
"""Multipliers are from 0 to below this."""
SHIFTS = range(2, 63)
"""The shifts that TOSA defines."""


def scale_of(factor: float) -> tuple[int, int]:
    """The multiplier (2**30 to 2**31 - 1, or 0) and shift nearest to a factor:
    `multiplier / 2**shift`. A factor below 2**-32 has a smaller multiplier.

    Raises ValueError for a factor that is negative, not finite, or 2**29 and more.
    """
    if not (math.isfinite(factor) and 0 <= factor < 2.0**29):
        raise ValueError(f"no multiplier and shift for a factor of {factor}")
    mantissa, exponent = math.frexp(factor)
    multiplier, shift = round(mantissa * MULTIPLIER_LIMIT), 31 - exponent
    if multiplier == MULTIPLIER_LIMIT:
        multiplier, shift = multiplier >> 1, shift - 1
    while shift > SHIFTS[-1]:
        multiplier, shift = multiplier >> 1, shift - 1
    return multiplier, shift
