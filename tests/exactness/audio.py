"""Checks of the steps on sound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from math import ceil, gcd, log10, pi
from typing import Any

import librosa
import numpy as np
import torch
from transformers import WhisperFeatureExtractor
from transformers.audio_utils import mel_filter_bank

from devproc.exactness.bound import Key
from tests.exactness.measuring import Array, Check, Measured, compare, run_step

RATE, TIME = 16000, 24001


def waves(dtype: str = "float32", time: int = TIME) -> Array:
    """Noise, a rising tone that fades, silence with a click, a clipped tone; (4, time)."""
    rng = np.random.default_rng(3)
    t = np.arange(time) / RATE
    click = np.zeros(time)
    click[time // 3] = 0.7
    rising = np.sin(2 * pi * (100 + 2000 * t) * t) * np.exp(-2 * t)
    clipped = np.clip(np.sin(2 * pi * 440 * t) * 3, -1, 1)
    stacked = np.stack([0.1 * rng.standard_normal(time), rising, click, clipped])
    if dtype == "int16":
        return np.round(stacked.clip(-1, 1) * 32767).astype(np.int16)
    return stacked.astype(np.float32)


def as_float(x: Array) -> Array:
    """The samples that PCM stands for."""
    return (x / 32768).astype(np.float32) if x.dtype == np.int16 else x


def one(ours: Array, wanted: Any) -> Measured:
    """The distance of one pair."""
    return compare([(ours, np.asarray(wanted, np.float32))])


def spectrum(x: Array, n_fft: int, hop: int) -> torch.Tensor:
    """torch.stft, complex."""
    window = torch.hann_window(n_fft)
    return torch.stft(
        torch.from_numpy(x), n_fft, hop, window=window, return_complex=True
    )


def _stft() -> Measured:
    x = waves()
    wanted = torch.view_as_real(spectrum(x, 400, 160))
    return one(run_step(lambda p, v: p.stft(v, 400, 160), x, ""), wanted)


def _istft() -> Measured:
    x = spectrum(waves(), 400, 160)
    wanted = torch.istft(x, 400, 160, window=torch.hann_window(400))
    parts = torch.view_as_real(x).numpy()
    return one(run_step(lambda p, v: p.istft(v, 400, 160), parts, ""), wanted)


def torchaudio_filters(n_mels: int, bins: int, rate: int) -> torch.Tensor:
    """(bins, n_mels), as `torchaudio.functional.melscale_fbanks` computes them."""
    hz = torch.linspace(0, rate // 2, bins)
    highest = 2595.0 * log10(1.0 + (rate // 2) / 700.0)
    corners = 700.0 * (10.0 ** (torch.linspace(0.0, highest, n_mels + 2) / 2595.0) - 1)
    width = corners[1:] - corners[:-1]
    slopes = corners[None] - hz[:, None]
    down, up = -slopes[:, :-2] / width[:-1], slopes[:, 2:] / width[1:]
    return torch.clamp(torch.minimum(down, up), min=0)


def _mel(like: str) -> Measured:
    power = spectrum(waves(), 400, 160).abs().square().numpy()
    ours = run_step(lambda p, v: p.mel(v, 40, RATE, like=like), power, "")
    if like == "torchaudio":
        filters = torchaudio_filters(40, 201, RATE)
        return one(ours, filters.T @ torch.from_numpy(power))
    if like == "librosa":
        wanted = librosa.feature.melspectrogram(S=power, sr=RATE, n_mels=40)
        return one(ours, wanted)
    filters = mel_filter_bank(201, 40, 0.0, 8000.0, RATE, "slaney", "slaney")
    return one(ours, np.einsum("bm,nbt->nmt", filters, power.astype(np.float64)))


def _log_mel_whisper(dtype: str) -> Measured:
    """Shorter than the window of two seconds, and longer."""

    def pairs() -> Iterator[tuple[Array, Array]]:
        extract: Any = WhisperFeatureExtractor(chunk_length=2)
        for time in (TIME, 2 * RATE + 77)[: 2 if dtype == "float32" else 1]:
            x = waves(dtype, time)
            features = extract(list(as_float(x)), sampling_rate=RATE)
            step = lambda p, v: p.log_mel(v, length=2 * RATE)  # noqa: E731
            yield run_step(step, x, ""), np.asarray(features["input_features"])

    return compare(pairs())


def _log_mel_librosa() -> Measured:
    x = waves()
    power = librosa.feature.melspectrogram(y=x, sr=22050)
    ours = run_step(lambda p, v: p.log_mel(v, "librosa"), x, "")
    return one(ours, librosa.power_to_db(power))


def _log_mel_torchaudio() -> Measured:
    x = waves()
    power = spectrum(x, 400, 200).abs().square()
    decibels = (
        10.0 * (torchaudio_filters(128, 201, RATE).T @ power).clamp(1e-10).log10()
    )
    wanted = torch.maximum(decibels, decibels.max() - 80.0)
    ours = run_step(lambda p, v: p.log_mel(v, "torchaudio", top_db=80.0), x, "")
    return one(ours, wanted)


def _mfcc() -> Measured:
    decibels = librosa.power_to_db(librosa.feature.melspectrogram(y=waves(), sr=RATE))
    wanted = librosa.feature.mfcc(S=decibels, n_mfcc=13)
    return one(run_step(lambda p, v: p.mfcc(v, 13), decibels, ""), wanted)


def torchaudio_resample(x: torch.Tensor, source: int, target: int) -> torch.Tensor:
    """What `torchaudio.functional.resample` does, from its documentation."""
    factor = gcd(source, target)
    source, target = source // factor, target // factor
    base = min(source, target) * 0.99
    reach = ceil(6 * source / base)
    places = torch.arange(-reach, reach + source, dtype=torch.float64) / source
    phases = torch.arange(0, -target, -1, dtype=torch.float64) / target
    time = ((phases[:, None] + places) * base).clamp(-6, 6)
    window = torch.cos(time * pi / 6 / 2) ** 2
    sinc = torch.where(time == 0, 1.0, (time * pi).sin() / (time * pi))
    kernel = (sinc * window * (base / source)).float()[:, None]
    padded = torch.nn.functional.pad(x, (reach, reach + source))[:, None]
    y = torch.nn.functional.conv1d(padded, kernel, stride=source)
    y = y.transpose(1, 2).reshape(len(x), -1)
    return y[:, : ceil(target * x.shape[1] / source)]


def _resample(dtype: str) -> Measured:
    def pairs() -> Iterator[tuple[Array, Array]]:
        x = waves(dtype, 2003)
        rates = (44100, 16000), (3, 2), (8000, 16000)
        for source, target in rates[: 3 if dtype == "float32" else 1]:
            step = lambda p, v, a=source, b=target: p.resample_audio(v, a, b)  # noqa: E731
            wanted = torchaudio_resample(torch.from_numpy(as_float(x)), source, target)
            yield run_step(step, x, ""), wanted.numpy()

    return compare(pairs())


def _normalize_peak() -> Measured:
    x = waves()
    x[2] = 0
    ours = run_step(lambda p, v: p.normalize_peak(v), x, "")
    return one(ours, librosa.util.normalize(x, axis=-1))


CHECKS: Mapping[Key, Check] = {
    Key("stft", "", "", "float32"): _stft,
    Key("istft", "", "", "float32"): _istft,
    **{
        Key("mel", like, "", "float32"): partial(_mel, like)
        for like in ("librosa", "torchaudio", "whisper")
    },
    **{
        Key("log_mel", "whisper", "", dtype): partial(_log_mel_whisper, dtype)
        for dtype in ("float32", "int16")
    },
    Key("log_mel", "librosa", "", "float32"): _log_mel_librosa,
    Key("log_mel", "torchaudio", "", "float32"): _log_mel_torchaudio,
    Key("mfcc", "", "", "float32"): _mfcc,
    **{
        Key("resample_audio", "torchaudio", "", dtype): partial(_resample, dtype)
        for dtype in ("float32", "int16")
    },
    Key("normalize_peak", "", "", "float32"): _normalize_peak,
}
"""Step, form and dtype -> what measures it."""
