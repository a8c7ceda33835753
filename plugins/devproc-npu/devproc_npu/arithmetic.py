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


def widen(bits: NDArray[np.uint16]) -> NDArray[np.float32]:
    """bf16 as f32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def narrow(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """f32 as bf16, rounded to even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)
