"""Steps on sound that do not fit are refused at the user's line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import devproc
from devproc.errors import BuildError
from devproc.frontends.dsl import Pipeline, Value

WRONG: dict[str, tuple[Callable[[Pipeline, Value], object], str]] = {
    "frame too long": (
        lambda p, x: p.frame(x, 101, 10),
        r"frame of <Value .*>: 100 samples are shorter than one frame of 101 samples; a"
        r" wave is float32 or int16",
    ),
    "frame without a hop": (lambda p, x: p.frame(x, 10, 0), r"hop must be positive"),
    "frame of a word": (
        lambda p, x: p.frame(x, "long", 1),  # pyright: ignore
        r"frame: size is 'long'; give an integer",
    ),
    "wave of float64": (
        lambda p, x: p.stft(p.cast(x, "float64"), 16),
        r"stft takes a wave \(..., time\) of float32 or int16, got float64 \(2, 100\)",
    ),
    "unknown window": (
        lambda p, x: p.window(x, "hanning"),
        r"unknown window 'hanning'",
    ),
    "window without a name": (lambda p, x: p.window(x, ""), r"window: kind is ''"),
    "level of zero": (
        lambda p, x: p.normalize_peak(x, 0),
        r"normalize_peak of .*: the level must be positive, got 0.0",
    ),
    "level of a word": (
        lambda p, x: p.normalize_rms(x, "loud"),  # pyright: ignore
        r"normalize_rms: level is 'loud'; give a number",
    ),
    "rate of zero": (
        lambda p, x: p.resample_audio(x, 0, 16000),
        r"resample_audio of .*: from must be positive, got 0",
    ),
    "resample like an unknown library": (
        lambda p, x: p.resample_audio(x, 2, 1, like="soxr"),
        r"unknown reference 'soxr'; one of torchaudio",
    ),
    "too short to be mirrored": (
        lambda p, x: p.stft(x, 200),
        r"100 samples are too few to be mirrored by 100; a wave must be longer than half"
        r" a frame, or pad_mode \"constant\"",
    ),
    "window above n_fft": (
        lambda p, x: p.stft(x, 16, win_length=17),
        r"a window of 17 samples is longer than n_fft 16",
    ),
    "inverse of a wave": (
        lambda p, x: p.istft(x, 16),
        r"istft takes float32 \(..., bins, frames, 2\), got .*; give what stft\(\) gives",
    ),
    "inverse with another n_fft": (
        lambda p, x: p.istft(p.stft(x, 16), 8),
        r"istft with n_fft 8 takes 5 bins of 2 numbers",
    ),
    "inverse that is too long": (
        lambda p, x: p.istft(p.stft(x, 16), 16, length=200),
        r"26 frames give 108 samples, not 200",
    ),
    "inverse with gaps": (
        lambda p, x: p.istft(p.stft(x, 16, 16), 16, 16),
        r"the windows leave samples out: hann of 16 every 16",
    ),
    "power of a wave": (lambda p, x: p.power(x), r"power takes a last axis of 2"),
    "mel like an unknown library": (
        lambda p, x: p.mel(x, 3, 8000, like="kaldi"),
        r"unknown reference 'kaldi'; one of librosa, torchaudio, whisper",
    ),
    "log_mel like an unknown library": (
        lambda p, x: p.log_mel(x, "kaldi"),
        r"log_mel: unknown reference 'kaldi'; use one of librosa, torchaudio, whisper",
    ),
    "log_mel above half the rate": (
        lambda p, x: p.log_mel(x, f_max=9000),
        r"the highest frequency 9000.0 Hz is above half the sample rate 16000 Hz",
    ),
    "log_mel of too many axes": (
        lambda p, x: p.log_mel(p.frame(x, 50, 50)),
        r"log_mel takes \(time\) or \(batch, time\)",
    ),
    "log_mel of a short wave": (
        lambda p, x: p.log_mel(x, "torchaudio"),
        r"100 samples are too few to be mirrored by 200",
    ),
    "log_mel of an array": (
        lambda p, x: p.log_mel([0.0]),  # pyright: ignore
        r"log_mel: takes a value of the pipeline, got list",
    ),
    "whisper with decibels": (
        lambda p, x: p.log_mel(x, top_db=80.0),
        r"top_db is one positive number or none, and none for whisper",
    ),
    "more coefficients than bands": (
        lambda p, x: p.mfcc(p.log_mel(x), 81),
        r"mfcc of .*: 81 coefficients of 80 values; give what log_mel\(\) gives",
    ),
    "blank that is no class": (
        lambda p, x: p.ctc_greedy(p.frame(x, 5, 5), 5),
        r"blank 5 is none of the 5 classes",
    ),
    "tokens without their count": (
        lambda p, x: p.output("y", p.ctc_greedy(p.frame(x, 5, 5)).tokens),
        r"has rows that are padding, and no count beside it",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_step_is_refused_at_its_line(name: str) -> None:
    wrong, message = WRONG[name]
    pipe = devproc.pipeline("test")
    x = pipe.input("x", "float32", (2, 100))
    with pytest.raises(BuildError, match=message) as caught:
        wrong(pipe, x)
    assert str(caught.value).startswith(f"{__file__}:")
