"""Checks of the family `spectra`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

import numpy as np
import torch

from devproc.exactness.bound import Key
from devproc.exactness.spectra import BOUNDS
from tests.exactness.audio import PCM, as_float, waves
from tests.exactness.measuring import Array, Case, Check, Measured, measure


def spectrum(x: Array, n_fft: int, hop: int) -> torch.Tensor:
    """torch.stft, complex."""
    window = torch.hann_window(n_fft)
    return torch.stft(
        torch.from_numpy(x), n_fft, hop, window=window, return_complex=True
    )


def _transforms() -> Iterator[Case]:
    for dtype in PCM:
        x = waves(dtype)
        wanted = torch.view_as_real(spectrum(as_float(x), 400, 160)).numpy()
        key = Key("stft", "", "", dtype)
        yield Case(key, lambda p, v: p.stft(v, 400, 160), [x], wanted, "")
    y = spectrum(waves(), 400, 160)
    wanted = torch.istft(y, 400, 160, window=torch.hann_window(400)).numpy()
    key, parts = Key("istft", "", "", "float32"), torch.view_as_real(y).numpy()
    yield Case(key, lambda p, v: p.istft(v, 400, 160), [parts], wanted, "")


def _complex_numbers() -> Iterator[Array]:
    """Of all magnitudes, of one part, infinite, and NaN."""
    rng = np.random.default_rng(9)
    yield rng.standard_normal((2, 21, 13, 2)).astype(np.float32)
    yield (rng.normal(0, 1, (501, 2)) * 10.0 ** rng.uniform(-37, 37, (501, 1))).astype(
        np.float32
    )
    parts = np.array([0, -0.0, 1e-45, 3e38, np.inf, -np.inf, np.nan], np.float32)
    yield np.stack(np.meshgrid(parts, parts), -1)


def _magnitudes() -> Iterator[Case]:
    for x in _complex_numbers():
        t = torch.from_numpy(x)
        key, wanted = (
            Key("magnitude", "", "", "float32"),
            torch.view_as_complex(t).abs(),
        )
        yield Case(key, lambda p, v: p.magnitude(v), [x], wanted.numpy(), "")
        key, wanted = Key("power", "", "", "float32"), t.square().sum(-1)
        yield Case(key, lambda p, v: p.power(v), [x], wanted.numpy(), "")


@cache
def _measured() -> Mapping[Key, Measured]:
    return measure([*_transforms(), *_magnitudes()])


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
