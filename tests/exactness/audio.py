"""Checks of the family `audio`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from itertools import islice
from math import ceil, gcd, pi

import numpy as np
import torch
from scipy.signal import get_window

from devproc.exactness.audio import BOUNDS
from devproc.exactness.bound import ANY, Key
from tests.exactness.dtypes import FLOATS, of_dtype, rounded, tensor
from tests.exactness.measuring import Array, Case, Check, Measured, measure
from tests.librosa_import import librosa

RATE, TIME = 16000, 24001
PCM = ("float32", "int16")

WINDOWS = {
    "hann": "hann",
    "hamming": "hamming",
    "blackman": "blackman",
    "bartlett": "bartlett",
    "rectangular": "boxcar",
}
"""Name -> SciPy's."""


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


def _resamplings(dtype: str) -> Iterator[Case]:
    x, key = waves(dtype, 2003), Key("resample_audio", "torchaudio", "", dtype)
    rates = (44100, 16000), (3, 2), (8000, 16000)
    for source, target in rates[: 3 if dtype == "float32" else 1]:
        step = partial(lambda p, v, a, b: p.resample_audio(v, a, b), a=source, b=target)
        wanted = torchaudio_resample(torch.from_numpy(as_float(x)), source, target)
        yield Case(key, step, [x], wanted.numpy(), "")


def _levels(dtype: str) -> Iterator[Case]:
    """Silence, and what is nearly silent, too."""
    x = waves(dtype)
    x[2] = 0
    if dtype == "float32":
        x[1] *= 1e-25
    real = as_float(x)
    wanted = librosa.util.normalize(real, axis=-1)
    key = Key("normalize_peak", "", "", dtype)
    yield Case(key, lambda p, v: p.normalize_peak(v), [x], wanted, "")
    for level in (0.1, 0.7)[: 2 if dtype == "float32" else 1]:
        unit = librosa.util.normalize(real.astype(np.float64), norm=2, axis=-1)
        wanted = unit * level * np.sqrt(x.shape[-1])
        key = Key("normalize_rms", "", "", dtype)
        step = partial(lambda p, v, to: p.normalize_rms(v, to), to=level)
        yield Case(key, step, [x], wanted.astype(np.float32), "")


def _frames(dtype: str) -> Iterator[Case]:
    """Frames of whole hops, of many short ones, and with a rest; windows on frames."""
    x = waves(dtype, 1003)
    key, real = Key("frame", "", "", ANY), torch.from_numpy(as_float(x))
    forms = (400, 160), (64, 3), (7, 11), (1003, 1)
    for size, hop in forms if dtype == "float32" else forms[:1]:
        step = partial(lambda p, v, a, b: p.frame(v, a, b), a=size, b=hop)
        yield Case(key, step, [x], real.unfold(-1, size, hop).numpy(), "")
    key, frames = Key("window", "", "", ANY), x.reshape(4, 17, 59)
    kinds = [(*names, False) for names in list(WINDOWS.items())[:2]]
    if dtype == "float32":
        kinds += [(*names, True) for names in WINDOWS.items()]
    for kind, name, periodic in kinds:
        window = np.asarray(get_window(name, 59, fftbins=periodic), np.float32)
        step = partial(lambda p, v, k, f: p.window(v, k, f), k=kind, f=periodic)
        yield Case(key, step, [frames], as_float(frames) * window, "")


def spelled(x: torch.Tensor, blank: int) -> tuple[Array, Array]:
    """torchaudio's greedy decoder: the best classes, one of each run, without blanks."""
    tokens = np.full(x.shape[:2], -1)
    count = np.zeros(len(x), np.int64)
    for row, best in enumerate(x.argmax(-1)):
        kept = [int(v) for v in torch.unique_consecutive(best) if v != blank]
        tokens[row, : len(kept)], count[row] = kept, len(kept)
    return tokens, count


def _spellings() -> Iterator[Case]:
    """Of no token at all and of NaN, too."""
    rng, key = np.random.default_rng(5), Key("ctc_greedy", "", "", ANY)
    for blank, dtype in enumerate(FLOATS):
        x = rounded(rng.normal(0, 1, (3, 41, 4)), dtype)
        x[..., blank] += 0.5
        x[1, :, blank], x[2, 3, 1] = 9, np.nan
        steps = (
            lambda p, v, b=blank: p.fill_padding(p.ctc_greedy(v, b).tokens, -1),
            lambda p, v, b=blank: p.ctc_greedy(v, b).count,
        )
        found = zip(steps, spelled(tensor(x, dtype), blank), strict=True)
        for step, wanted in islice(found, 2 if dtype == "float32" else 1):
            yield of_dtype(dtype, key, step, x, wanted)


@cache
def _measured() -> Mapping[Key, Measured]:
    cases = [*_spellings()]
    for dtype in PCM:
        cases += [*_frames(dtype), *_levels(dtype), *_resamplings(dtype)]
    return measure(cases)


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
