"""What the vector unit computes: TOSA's RESCALE, and bf16."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def rescale(
    values: NDArray[np.int64], multiplier: NDArray[np.int64], shift: NDArray[np.int64]
) -> NDArray[np.int64]:
    """`values * multiplier / 2**shift`, rounded half up: `apply_scale_32` of TOSA 1.0 with
    SINGLE_ROUND. `multiplier` is below 2**31 and `shift` from 2 to 62."""
    return (values * multiplier + (np.int64(1) << (shift - 1))) >> shift


def scale_of(factor: float) -> tuple[int, int]:
    """The multiplier (2**30 to 2**31 - 1, or 0) and shift nearest to a factor.

    Raises ValueError for a factor that is negative, not finite, or 2**29 and more.
    """
    if not (np.isfinite(factor) and 0 <= factor < 2.0**29):
        raise ValueError(f"no multiplier and shift for a factor of {factor}")
    mantissa, exponent = np.frexp(factor)
    multiplier, shift = round(float(mantissa) * 2**31), 31 - int(exponent)
    if multiplier == 2**31:
        multiplier, shift = 2**30, shift - 1
    while shift > 62:
        multiplier, shift = multiplier >> 1, shift - 1
    return multiplier, shift


def widen(bits: NDArray[np.uint16]) -> NDArray[np.float32]:
    """bf16 as f32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def narrow(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """f32 as bf16, rounded to even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)
