"""Checks of the family `mel`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from math import log10
from typing import Any

import numpy as np
import torch
from transformers import WhisperFeatureExtractor
from transformers.audio_utils import mel_filter_bank

from devproc.exactness.bound import Key
from devproc.exactness.mel import BOUNDS
from tests.exactness.audio import PCM, RATE, TIME, as_float, waves
from tests.exactness.measuring import Case, Check, Measured, measure
from tests.exactness.spectra import spectrum
from tests.librosa_import import librosa


def torchaudio_filters(n_mels: int, bins: int, rate: int) -> torch.Tensor:
    """(bins, n_mels), as `torchaudio.functional.melscale_fbanks` computes them."""
    hz = torch.linspace(0, rate // 2, bins)
    highest = 2595.0 * log10(1.0 + (rate // 2) / 700.0)
    corners = 700.0 * (10.0 ** (torch.linspace(0.0, highest, n_mels + 2) / 2595.0) - 1)
    width = corners[1:] - corners[:-1]
    slopes = corners[None] - hz[:, None]
    down, up = -slopes[:, :-2] / width[:-1], slopes[:, 2:] / width[1:]
    return torch.clamp(torch.minimum(down, up), min=0)


def _case(step: str, like: str, apply: Any, x: Any, wanted: Any) -> Case:
    key = Key(step, like, "", str(x.dtype))
    return Case(key, apply, [x], np.asarray(wanted, np.float32), "")


def _mels() -> Iterator[Case]:
    power = spectrum(waves(), 400, 160).abs().square().numpy()
    filters = mel_filter_bank(201, 40, 0.0, 8000.0, RATE, "slaney", "slaney")
    found = {
        "torchaudio": torchaudio_filters(40, 201, RATE).T @ torch.from_numpy(power),
        "librosa": librosa.feature.melspectrogram(S=power, sr=RATE, n_mels=40),
        "whisper": np.einsum("bm,nbt->nmt", filters, power.astype(np.float64)),
    }
    for like, wanted in found.items():
        step = partial(lambda p, v, like: p.mel(v, 40, RATE, like=like), like=like)
        yield _case("mel", like, step, power, wanted)
    decibels = librosa.power_to_db(librosa.feature.melspectrogram(y=waves(), sr=RATE))
    wanted = librosa.feature.mfcc(S=decibels, n_mfcc=13)
    yield _case("mfcc", "", lambda p, v: p.mfcc(v, 13), decibels, wanted)


def _logarithms(dtype: str) -> Iterator[Case]:
    """Whisper's shorter than the window of two seconds, and longer."""
    extract: Any = WhisperFeatureExtractor(chunk_length=2)
    for time in (TIME, 2 * RATE + 77)[: 2 if dtype == "float32" else 1]:
        x = waves(dtype, time)
        wanted = extract(list(as_float(x)), sampling_rate=RATE)["input_features"]
        step = lambda p, v: p.log_mel(v, length=2 * RATE)  # noqa: E731
        yield _case("log_mel", "whisper", step, x, wanted)
    x = waves(dtype)
    # Its defaults, then short frames.
    sizes = (2048, 512, 128) if dtype == "float32" else (400, 160, 40)
    names = ("n_fft", "hop", "n_mels"), ("n_fft", "hop_length", "n_mels")
    given: list[Any] = [dict(zip(n, sizes, strict=True)) for n in names]
    power: Any = librosa.feature.melspectrogram(y=as_float(x), sr=22050, **given[1])
    step = partial(lambda p, v, **sizes: p.log_mel(v, "librosa", **sizes), **given[0])
    yield _case("log_mel", "librosa", step, x, librosa.power_to_db(power))
    power = spectrum(as_float(x), 400, 200).abs().square()
    bands = torchaudio_filters(128, 201, RATE).T @ power
    decibels = 10.0 * bands.clamp(1e-10).log10()
    wanted = torch.maximum(decibels, decibels.max() - 80.0)
    step = lambda p, v: p.log_mel(v, "torchaudio", top_db=80.0)  # noqa: E731
    yield _case("log_mel", "torchaudio", step, x, wanted)


@cache
def _measured() -> Mapping[Key, Measured]:
    return measure([*_mels(), *(case for d in PCM for case in _logarithms(d))])


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
