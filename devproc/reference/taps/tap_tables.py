"""The table of `nn.resample_taps` for each library, mode and dtype of weights."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from devproc.dialects.nn.resampling.filters import PLAIN
from devproc.dialects.nn.resampling.resample import FRACTION_BITS
from devproc.ir.weights.table import Array
from devproc.reference.taps.opencv_taps import opencv_taps
from devproc.reference.taps.taps import shifted, tap_table
from devproc.reference.taps.torch_taps import (
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
    first, weights = _float_weights(in_size, out_size, mode, like, dtype)
    if dtype == "int16":
        weights, _ = fixed_point(weights)
    elif dtype == "int32":
        scaled = np.where(np.isnan(weights), 0.0, weights) * (1 << FRACTION_BITS)
        weights = np.trunc(scaled + np.where(scaled < 0, -0.5, 0.5))
    return first, weights


def fraction_bits_of(
    in_size: int, out_size: int, mode: str, like: str, dtype: str
) -> int:
    """Fractional bits of the weights of a uint8 image that is rounded once per axis."""
    if dtype != "int16":
        return FRACTION_BITS
    _, weights = _float_weights(in_size, out_size, mode, like, dtype)
    return fixed_point(weights)[1]


def _float_weights(
    in_size: int, out_size: int, mode: str, like: str, dtype: str
) -> tuple[Array, Array]:
    """The weights before they become integers; NaN is absent."""
    own, plain = like == "torchvision", mode.endswith(PLAIN)
    # The antialiased weights of float images follow `tap_table`.
    if own and not mode.startswith("nearest") and (plain or dtype == "int16"):
        kind = np.float64 if dtype == "int16" else np.float32
        make = interpolation_taps if plain else antialiasing_taps
        cubic = mode.startswith("bicubic")
        return make(in_size, out_size, None, False, cubic, kind)
    first, count, weights = tap_table(in_size, out_size, mode, like)
    weights[cast(Array, np.arange(weights.shape[1]) >= count[:, None])] = math.nan
    return shifted(first, weights, in_size, math.nan)
