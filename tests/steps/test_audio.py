"""Steps on sound beside PyTorch, librosa and transformers, and their bad inputs."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest
import torch
from scipy.signal import get_window
from transformers import WhisperFeatureExtractor

import devproc
from tests.exactness.audio import WINDOWS, as_float, torchaudio_resample
from tests.exactness.measuring import Array
from tests.exactness.spectra import spectrum
from tests.librosa_import import librosa

TARGETS = ("cpu", "cuda:interpret")


def waves(time: int = 101) -> Array:
    """Noise, noise with a NaN in it, and silence."""
    x = np.random.default_rng(0).standard_normal((3, time)).astype(np.float32)
    x[1, time // 4], x[2] = np.nan, 0
    return x


def close(ours: Array, wanted: Any, limit: float = 2e-6) -> None:
    """Within `limit` of the largest value; NaN where the other has it."""
    wanted = np.asarray(wanted, np.float64)
    assert ours.shape == wanted.shape
    assert np.array_equal(np.isnan(ours), np.isnan(wanted))
    scale = np.nanmax(np.abs(wanted))
    np.testing.assert_allclose(ours, wanted, rtol=0, atol=limit * scale)


@pytest.mark.parametrize("target", TARGETS)
def test_time(target: str) -> None:
    x = waves()
    pcm = np.random.default_rng(1).integers(-32768, 32768, 101).astype(np.int16)
    pipe = devproc.pipeline("time")
    v = pipe.input("x", "float32", x.shape)
    p = pipe.input("pcm", "int16", pcm.shape)
    # Joined of slices, and gathered.
    for hop in (7, 1):
        pipe.output(f"frames {hop}", pipe.frame(v, 20, hop))
    pipe.output("of pcm", pipe.frame(p, 20, 30))
    for kind in WINDOWS:
        pipe.output(kind, pipe.window(p, kind))
        pipe.output(f"{kind} symmetric", pipe.window(p, kind, periodic=False))
    pipe.output("peak", pipe.normalize_peak(v, 0.5))
    pipe.output("rms", pipe.normalize_rms(v))
    pipe.output("same rate", pipe.resample_audio(p, 100, 100))
    for rates in ((3, 2), (2, 3), (160, 441)):
        pipe.output(f"{rates}", pipe.resample_audio(v, *rates))
    found = devproc.compile(pipe, target, threads=1)(x=x, pcm=pcm)
    t = torch.from_numpy(x)
    for hop in (7, 1):
        wanted = t.unfold(-1, 20, hop).numpy()
        assert np.array_equal(found[f"frames {hop}"], wanted, equal_nan=True)
    samples = as_float(pcm)
    assert np.array_equal(found["same rate"], samples)
    assert np.array_equal(
        found["of pcm"], np.stack([samples[i : i + 20] for i in (0, 30, 60)])
    )
    for kind, name in WINDOWS.items():
        close(found[kind], samples * get_window(name, 101))
        symmetric = get_window(name, 101, fftbins=False)
        close(found[f"{kind} symmetric"], samples * symmetric)
    assert np.array_equal(found["peak"][2], x[2])
    close(found["peak"][0], librosa.util.normalize(x[0]) / 2)
    assert np.isnan(found["peak"][1]).all()
    wide = x.astype(np.float64)
    close(found["rms"][0], 0.1 * wide[0] / np.sqrt((wide[0] ** 2).mean()))
    assert np.array_equal(found["rms"][2], x[2])
    for rates in ((3, 2), (2, 3), (160, 441)):
        close(found[f"{rates}"][[0, 2]], torchaudio_resample(t[[0, 2]], *rates))


@pytest.mark.parametrize("target", TARGETS)
def test_frequency(target: str) -> None:
    x = waves()
    forms = (
        (16, 4, "hann", 16, True, "reflect"),
        (15, 5, "hamming", 11, True, "constant"),
        (16, 20, "rectangular", 16, False, "reflect"),
    )
    pipe = devproc.pipeline("frequency")
    v = pipe.input("x", "float32", x.shape)
    for number, form in enumerate(forms):
        y = pipe.stft(v, *form)
        pipe.output(f"stft {number}", y)
        pipe.output(f"magnitude {number}", pipe.magnitude(y))
        pipe.output(f"power {number}", pipe.power(y))
        if number < 2:
            pipe.output(f"wave {number}", pipe.istft(y, *form[:5]))
    found = devproc.compile(pipe, target, threads=1)(x=x)
    for number, (n_fft, hop, kind, length, center, mode) in enumerate(forms):
        window = torch.tensor(get_window(WINDOWS[kind], length))
        y = torch.stft(
            torch.from_numpy(x).double(), n_fft, hop, length, window, center, mode,
            return_complex=True,
        )  # fmt: skip
        # A sine of no turn is 0, but not 0 times NaN.
        close(found[f"stft {number}"][[0, 2]], torch.view_as_real(y[[0, 2]]))
        close(found[f"magnitude {number}"], y.abs())
        close(found[f"power {number}"], y.abs() ** 2, 4e-6)
        if number < 2:
            whole = torch.istft(y[[0, 2]], n_fft, hop, length, window, center)
            close(found[f"wave {number}"][[0, 2]], whole, 1e-5)


def test_large_and_small_magnitudes() -> None:
    parts = np.array([[3e30, 4e30], [3e-30, -4e-30], [0, 0], [np.nan, np.inf]], "f4")
    pipe = devproc.pipeline("magnitude")
    pipe.output("y", pipe.magnitude(pipe.input("x", "float32", (4, 2), "")))
    found = devproc.compile(pipe, threads=1)(x=parts)["y"]
    np.testing.assert_allclose(found[:3], [5e30, 5e-30, 0], rtol=1e-6)
    # As PyTorch's, which is `hypot`.
    assert found[3] == np.inf


@pytest.mark.parametrize("target", TARGETS)
def test_mel(target: str) -> None:
    """Odd sizes, and waves that are shorter and longer than what whisper wants."""
    rng = np.random.default_rng(2)
    x = (0.1 * rng.standard_normal((2, 801))).astype(np.float32)
    long = (0.1 * rng.standard_normal(16100)).astype(np.float32)
    x[1, 300:] = 0
    whisper: dict[str, Any] = {"n_fft": 64, "hop": 320, "n_mels": 7, "length": 16000}
    librosa_like = {"sample_rate": 8000, "n_fft": 66, "hop": 31, "n_mels": 9}
    pipe = devproc.pipeline("mel")
    v, w = (pipe.input(n, "float32", a.shape) for n, a in (("x", x), ("long", long)))
    pipe.output("short", pipe.log_mel(v, **whisper))
    pipe.output("long", pipe.log_mel(w, **whisper))
    decibels = pipe.log_mel(v, "librosa", **librosa_like, f_min=50.0, f_max=3000.0)
    pipe.output("librosa", decibels)
    pipe.output("mfcc", pipe.mfcc(decibels, 5))
    pipe.output("no limit", pipe.log_mel(v, "librosa", **librosa_like, top_db=None))
    found = devproc.compile(pipe, target, threads=1)(x=x, long=long)
    extract: Any = WhisperFeatureExtractor(
        feature_size=7, n_fft=64, hop_length=320, chunk_length=1
    )
    for name, given in (("short", list(x)), ("long", [long])):
        features = extract(given, sampling_rate=16000)["input_features"]
        wanted = np.asarray(features).reshape(found[name].shape)
        np.testing.assert_allclose(found[name], wanted, rtol=0, atol=1e-4)
    power = librosa.feature.melspectrogram(
        y=x, sr=8000, n_fft=66, hop_length=31, n_mels=9, fmin=50.0, fmax=3000.0
    )
    close(found["librosa"], librosa.power_to_db(power), 1e-5)
    close(
        found["mfcc"],
        librosa.feature.mfcc(S=librosa.power_to_db(power), n_mfcc=5),
        1e-5,
    )
    power = librosa.feature.melspectrogram(
        y=x, sr=8000, n_fft=66, hop_length=31, n_mels=9
    )
    close(found["no limit"], librosa.power_to_db(power, top_db=None), 1e-5)


def test_silence_clipping_and_nan() -> None:
    """Silence is the floor, clipping is a sound, NaN stays in its own wave."""
    x = np.zeros((3, 4000), np.float32)
    x[1] = np.where(np.arange(4000) // 40 % 2, 1, -1)
    x[2, 7] = np.nan
    pipe = devproc.pipeline("silence")
    pipe.output("y", pipe.log_mel(pipe.input("x", "float32", x.shape), length=8000))
    found = devproc.compile(pipe, threads=1)(x=x)["y"]
    assert (found[0] == -1.5).all()
    extract: Any = WhisperFeatureExtractor(n_samples=8000)
    extract.n_samples = 8000
    wanted = extract._np_extract_fbank_features(
        np.pad(x[1:2], ((0, 0), (0, 4000))), "cpu"
    )
    np.testing.assert_allclose(found[1], wanted[0], rtol=0, atol=1e-3)
    assert np.isnan(found[2]).all()


def test_threads_give_the_same_bits() -> None:
    x = np.random.default_rng(5).standard_normal(9000).astype(np.float32)
    results: list[Array] = []
    for threads in (1, 2):
        pipe = devproc.pipeline("threads")
        v = pipe.input("x", "float32", x.shape)
        pipe.output("y", pipe.log_mel(v, n_fft=64, hop=30, length=9000))
        results.append(devproc.compile(pipe, threads=threads)(x=x)["y"])
    assert np.array_equal(results[0], results[1])


def spelled(scores: Array, blank: int) -> list[list[int]]:
    """Greedy decoding in plain Python."""
    best = scores.argmax(-1).tolist()
    return [[k for k, _ in groupby(row) if k != blank] for row in best]


@pytest.mark.parametrize("target", TARGETS)
def test_ctc_greedy(target: str) -> None:
    scores = np.random.default_rng(6).standard_normal((5, 23, 4)).astype(np.float32)
    scores[3, :, 2], scores[4] = 9, 0
    scores[4, :, 1] = 1
    pipe = devproc.pipeline("ctc")
    x = pipe.input("x", "float32", scores.shape, "")
    for blank in (0, 1):
        pipe.output(f"blank {blank}", pipe.ctc_greedy(x, blank))
    found = devproc.compile(pipe, target, threads=1)(x=scores)
    for blank in (0, 1):
        entry, wanted = found[f"blank {blank}"], spelled(scores, blank)
        assert entry["count"].tolist() == [len(row) for row in wanted]
        padded = [row + [-1] * (23 - len(row)) for row in wanted]
        assert entry["tokens"].tolist() == padded


def test_spectrum_of_a_tone() -> None:
    """Power stands in the tone's own bin."""
    x = np.cos(2 * np.pi * 5 * np.arange(320) / 32).astype(np.float32)
    power = spectrum(x, 32, 32).abs().square()[:, 3]
    pipe = devproc.pipeline("tone")
    v = pipe.input("x", "float32", x.shape)
    pipe.output("y", pipe.power(pipe.stft(v, 32, 32)))
    found = devproc.compile(pipe, threads=1)(x=x)["y"][:, 3]
    assert int(found.argmax()) == int(power.argmax()) == 5
