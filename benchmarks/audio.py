"""Times whisper's log-mel spectrogram of 30 seconds beside compositions of libraries.

`python benchmarks/audio.py` writes the section "Sound to log-mel" of `RESULTS.md`. All
run in one process in turns, with 1 and 2 threads; a ratio is the median of the rounds'.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import librosa
import numpy as np
import torch
from results import write_section
from transformers import WhisperFeatureExtractor

import devproc

RATE, SECONDS = 16000, 30
ROUNDS, REPEATS = 15, 5
OURS = "devproc"


def wave() -> np.ndarray[Any, np.dtype[np.float32]]:
    """A rising tone in noise."""
    t = np.arange(RATE * SECONDS) / RATE
    noise = np.random.default_rng(0).standard_normal(len(t))
    return (0.3 * np.sin(2 * np.pi * (200 + 60 * t) * t) + 0.05 * noise).astype("f4")


def scaled(log_mel: Any) -> Any:
    """Whisper's range."""
    return (np.maximum(log_mel, log_mel.max() - 8.0) + 4.0) / 4.0


def engines(threads: int) -> dict[str, Callable[[], Any]]:
    """Engine -> one call on the same wave."""
    x = wave()
    pipe = devproc.pipeline("log_mel")
    pipe.output("y", pipe.log_mel(pipe.input("x", "float32", x.shape)))
    program = devproc.compile(pipe, threads=threads)
    extract: Any = WhisperFeatureExtractor()
    filters = np.ascontiguousarray(extract.mel_filters.T, np.float32)
    given, window = torch.from_numpy(x), torch.hann_window(400)
    torch_filters = torch.from_numpy(filters)

    def in_torch() -> torch.Tensor:
        spectrum = torch.stft(given, 400, 160, window=window, return_complex=True)
        power = spectrum[..., :-1].abs() ** 2
        log_mel = (torch_filters @ power).clamp(min=1e-10).log10()
        return (torch.maximum(log_mel, log_mel.max() - 8.0) + 4.0) / 4.0

    def in_librosa() -> Any:
        spectrum = librosa.stft(x, n_fft=400, hop_length=160, pad_mode="reflect")
        power = np.abs(spectrum[:, :-1]) ** 2
        return scaled(np.log10(np.maximum(filters @ power, 1e-10)))

    return {
        OURS: lambda: program(x=x)["y"],
        "torch.stft": in_torch,
        "librosa.stft": in_librosa,
        "transformers, NumPy": lambda: extract._np_extract_fbank_features(
            x[None], "cpu"
        )[0],
    }


def measure(threads: int) -> dict[str, list[float]]:
    """Engine -> the least time of each round, in milliseconds."""
    torch.set_num_threads(threads)
    calls = engines(threads)
    wanted = np.asarray(calls["transformers, NumPy"]())
    for name, call in calls.items():
        apart = np.abs(np.asarray(call()) - wanted).max()
        assert apart < 5e-4, (name, apart)
    rounds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            times: list[float] = []
            for _ in range(REPEATS if name in (OURS, "torch.stft") else 1):
                start = time.perf_counter()
                call()
                times.append(1e3 * (time.perf_counter() - start))
            rounds[name].append(min(times))
            # The pool of threads of the one must not spin beside the next.
            time.sleep(0.004)
    return rounds


def lines() -> list[str]:
    """The table."""
    found = [
        "| threads | engine | ms, median | ms, least | ours / theirs |",
        "|---|---|---|---|---|",
    ]
    for threads in (1, 2):
        rounds = measure(threads)
        for name, times in rounds.items():
            pairs = zip(rounds[OURS], times, strict=True)
            ratio = statistics.median(mine / theirs for mine, theirs in pairs)
            found.append(
                f"| {threads} | {name} | {statistics.median(times):.2f} | "
                f"{min(times):.2f} | {ratio:.2f} |"
            )
    return [
        *found,
        "",
        "Each of a wave of 30 s at 16 kHz to (80, 3000), and each within 5e-4 of",
        "`WhisperFeatureExtractor`. NumPy's transforms have one thread.",
    ]


if __name__ == "__main__":
    write_section("Sound to log-mel", "python benchmarks/audio.py", lines())
