"""The table of `nn.resample_taps` for each library, mode and dtype of weights."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from devproc.dialects.nn.filters import PLAIN
from devproc.ir.weights import Array
from devproc.reference.opencv_taps import opencv_taps
from devproc.reference.taps import PRECISION_BITS, shifted, tap_table
from devproc.reference.torch_taps import (
    antialiasing_taps,
    fixed_point,
    interpolation_taps,
)


def weights_of(
    in_size: int, out_size: int, mode: str, like: str, dtype: str, compact: bool
) -> tuple[Array, Array]:
    """First input index and weights of each output; NaN, or 0 of integers, is absent."""
    if like == "opencv":
        return opencv_taps(in_size, out_size, mode, dtype, compact)
    if like == "torchvision" and not mode.startswith("nearest"):
        table = _torch_taps(in_size, out_size, mode, dtype)
        if table is not None:
            return table
    first, count, weights = tap_table(in_size, out_size, mode, like)
    absent = 0.0 if dtype == "int32" else math.nan
    outside = cast(Array, np.arange(weights.shape[1]) >= count[:, None])
    weights[outside] = absent
    first, weights = shifted(first, weights, in_size, absent)
    if dtype == "int32":
        scaled = weights * (1 << PRECISION_BITS)
        weights = np.trunc(scaled + np.where(scaled < 0, -0.5, 0.5))
    return first, weights


def _torch_taps(
    in_size: int, out_size: int, mode: str, dtype: str
) -> tuple[Array, Array] | None:
    """PyTorch's, but for the antialiased weights of float images."""
    plain, fixed = mode.endswith(PLAIN), dtype == "int32"
    if not plain and not fixed:
        return None
    kind = np.float64 if fixed else np.float32
    make = interpolation_taps if plain else antialiasing_taps
    cubic = mode.startswith("bicubic")
    first, taps = make(in_size, out_size, None, False, cubic, kind)
    return first, fixed_point(taps) if fixed else taps
