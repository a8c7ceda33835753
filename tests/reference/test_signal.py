"""Tables of signal processing beside SciPy, librosa and PyTorch, in float64."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
import torch
from scipy.signal import get_window
from xdsl.dialects.builtin import DenseArrayBase, StringAttr, f64

from devproc.dialects.nn.base import NNOp, int_attr
from devproc.dialects.nn.signal import (
    DctBasisOp,
    DftBasisOp,
    MelFiltersOp,
    SincFiltersOp,
    WindowFunctionOp,
)
from devproc.reference.signal import REFERENCE
from tests.exactness.audio import torchaudio_resample
from tests.exactness.measuring import Array
from tests.exactness.mel import torchaudio_filters
from tests.librosa_import import librosa
from tests.steps.test_audio import WINDOWS


def table(op_class: type[NNOp], **properties: int | str | list[float]) -> Array:
    """The table of an op with these properties."""
    made = {
        name: int_attr(value)
        if isinstance(value, int)
        else StringAttr(value)
        if isinstance(value, str)
        else DenseArrayBase.from_list(f64, value)
        for name, value in properties.items()
    }
    op = op_class.build_op([], made)
    (result,) = REFERENCE[op_class](op)
    assert result.dtype == torch.float64
    return result.numpy()


@pytest.mark.parametrize("size", [1, 2, 7, 400])
@pytest.mark.parametrize("kind", WINDOWS)
def test_windows(kind: str, size: int) -> None:
    for periodic in (0, 1):
        found = table(WindowFunctionOp, kind=kind, size=size, periodic=periodic)
        wanted = get_window(WINDOWS[kind], size, fftbins=bool(periodic))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-15)


@pytest.mark.parametrize("size", [1, 2, 9, 400])
def test_dft(size: int) -> None:
    x = np.random.default_rng(0).standard_normal(size)
    real, imaginary = (x @ table(DftBasisOp, part=p, size=size) for p in ("cos", "sin"))
    np.testing.assert_allclose(real - 1j * imaginary, np.fft.rfft(x), atol=1e-12)


@pytest.mark.parametrize(("count", "size"), [(1, 1), (5, 7), (80, 80)])
def test_dct(count: int, size: int) -> None:
    x = np.random.default_rng(1).standard_normal(size)
    wanted = np.asarray(scipy.fft.dct(x, norm="ortho"))[:count]
    found = table(DctBasisOp, count=count, size=size) @ x
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13)


@pytest.mark.parametrize("like", ["librosa", "whisper", "torchaudio"])
@pytest.mark.parametrize(
    ("count", "n_fft", "rate", "low", "high"),
    [(80, 400, 16000, 0.0, 8000.0), (7, 30, 8000, 300.0, 3400.0)],
)
def test_mel(
    like: str, count: int, n_fft: int, rate: int, low: float, high: float
) -> None:
    bins = n_fft // 2 + 1
    found = table(
        MelFiltersOp, count=count, bins=bins, sample_rate=rate, range=[low, high],
        like=like,
    )  # fmt: skip
    htk, norm = like == "torchaudio", None if like == "torchaudio" else "slaney"
    wanted = librosa.filters.mel(
        sr=rate, n_fft=n_fft, n_mels=count, fmin=low, fmax=high, htk=htk, norm=norm,
        dtype=np.float64,
    )  # fmt: skip
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
    if htk and low == 0:
        in_float32 = torchaudio_filters(count, bins, rate).T.numpy()
        np.testing.assert_allclose(found, in_float32, rtol=0, atol=2e-5)


def test_sinc() -> None:
    """A click, resampled, is a column for each phase."""
    found = table(SincFiltersOp, source=3, target=2)
    reach = (len(found) - 3) // 2
    for place in range(3):
        click = torch.zeros(1, 60)
        click[0, 30 + place] = 1
        y = torchaudio_resample(click, 3, 2)[0].numpy().reshape(-1, 2)
        # Frame f weighs the sample 30 + place by the row 30 + place - 3 f + reach.
        for frame in range(7, 14):
            row = 30 + place - 3 * frame + reach
            wanted = found[row] if 0 <= row < len(found) else np.zeros(2)
            np.testing.assert_allclose(y[frame], wanted, rtol=0, atol=1e-7)
