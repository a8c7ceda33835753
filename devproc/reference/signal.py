"""Reference of the tables of signal processing, in NumPy with float64."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

import numpy as np
import torch
from torch import Tensor
from xdsl.ir import Operation

from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.signal import (
    SINC_ROLLOFF,
    SINC_ZEROS,
    DctBasisOp,
    DftBasisOp,
    MelFiltersOp,
    SincFiltersOp,
    WindowFunctionOp,
    range_of,
    sinc_reach,
)

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

_COSINES = {
    "hann": (0.5, 0.5),
    "hamming": (0.54, 0.46),
    "blackman": (0.42, 0.5, 0.08),
    "rectangular": (1.0,),
}
"""Window -> coefficients of its sum of cosines, of alternating sign."""


def _result(table: Array) -> tuple[Tensor]:
    return (torch.tensor(table),)


def _window_function(op: WindowFunctionOp) -> tuple[Tensor, ...]:
    return _result(
        window_values(op.kind.data, int_of(op.size), bool(int_of(op.periodic)))
    )


def window_values(kind: str, size: int, periodic: bool) -> Array:
    """The values of a window function."""
    if size == 1:
        return np.ones(1)
    place = np.arange(size) / (size if periodic else size - 1)
    if kind == "bartlett":
        return 1 - np.abs(2 * place - 1)
    total = np.zeros(size)
    for order, weight in enumerate(_COSINES[kind]):
        total += (-1) ** order * weight * np.cos(2 * np.pi * order * place)
    return total


def _dft_basis(op: DftBasisOp) -> tuple[Tensor, ...]:
    size = int_of(op.size)
    # The angle modulo a full turn, exactly.
    turn = np.outer(np.arange(size), np.arange(size // 2 + 1)) % size
    wave = np.cos if op.part.data == "cos" else np.sin
    return _result(wave(2 * np.pi * np.arange(size) / size)[turn])


def _dct_basis(op: DctBasisOp) -> tuple[Tensor, ...]:
    count, size = int_of(op.count), int_of(op.size)
    turn = np.outer(np.arange(count), 2 * np.arange(size) + 1) % (4 * size)
    table = np.cos(2 * np.pi * np.arange(4 * size) / (4 * size))[turn]
    table *= np.sqrt(2 / size)
    table[0] /= np.sqrt(2)
    return _result(table)


_LINEAR_STEP = 200 / 3
"""Slaney's scale: Hz per mel below 1000 Hz, and above it a step of the logarithm."""
_LOG_STEP = np.log(6.4) / 27


def _hz_to_mel(hz: float, slaney: bool) -> float:
    if not slaney:
        return float(2595.0 * np.log10(1.0 + hz / 700.0))
    if hz < 1000:
        return hz / _LINEAR_STEP
    return float(15 + np.log(hz / 1000) / _LOG_STEP)


def _mel_to_hz(mel: Array, slaney: bool) -> Array:
    if not slaney:
        return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    above = 1000 * np.exp(_LOG_STEP * (mel - 15))
    return np.where(mel < 15, mel * _LINEAR_STEP, above)


def _mel_filters(op: MelFiltersOp) -> tuple[Tensor, ...]:
    slaney = op.like.data != "torchaudio"
    low, high = (_hz_to_mel(hz, slaney) for hz in range_of(op.range))
    corners = _mel_to_hz(np.linspace(low, high, int_of(op.count) + 2), slaney)
    rate = int_of(op.sample_rate)
    hz = np.linspace(0, rate / 2 if slaney else rate // 2, int_of(op.bins))
    width = np.diff(corners)[:, None]
    rising = (hz - corners[:-2, None]) / width[:-1]
    falling = (corners[2:, None] - hz) / width[1:]
    table = np.maximum(0, np.minimum(rising, falling))
    if slaney:
        table *= (2 / (corners[2:] - corners[:-2]))[:, None]
    return _result(table)


def _sinc_filters(op: SincFiltersOp) -> tuple[Tensor, ...]:
    source, target = int_of(op.source), int_of(op.target)
    reach, base = sinc_reach(source, target), min(source, target) * SINC_ROLLOFF
    place = np.arange(-reach, reach + source)[:, None] / source
    time = (place - np.arange(target) / target) * base
    time = np.clip(time, -SINC_ZEROS, SINC_ZEROS)
    window = np.cos(time * np.pi / SINC_ZEROS / 2) ** 2
    return _result(np.sinc(time) * window * (base / source))


REFERENCE: Mapping[type[Operation], Callable[..., tuple[Tensor, ...]]] = cast(
    Any,
    {
        DctBasisOp: _dct_basis,
        DftBasisOp: _dft_basis,
        MelFiltersOp: _mel_filters,
        SincFiltersOp: _sinc_filters,
        WindowFunctionOp: _window_function,
    },
)
"""op class -> function of the op."""
