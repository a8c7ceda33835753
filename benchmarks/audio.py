"""Times whisper's log-mel spectrogram of 30 seconds beside compositions of libraries.

`python benchmarks/audio.py`: a wave at 16 kHz to (80, 3000), each within 5e-4 of
`WhisperFeatureExtractor`. NumPy's transforms have one thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from turns import Run, row, run_benchmark

RATE, SECONDS = 16000, 30


def wave() -> np.ndarray[Any, np.dtype[np.float32]]:
    """A rising tone in noise."""
    t = np.arange(RATE * SECONDS) / RATE
    noise = np.random.default_rng(0).standard_normal(len(t))
    return (0.3 * np.sin(2 * np.pi * (200 + 60 * t) * t) + 0.05 * noise).astype("f4")


def scaled(log_mel: Any) -> Any:
    """Whisper's range."""
    return (np.maximum(log_mel, log_mel.max() - 8.0) + 4.0) / 4.0


def engines(threads: int) -> dict[str, Run]:
    """Engine -> one call on the same wave."""
    import librosa
    from transformers import WhisperFeatureExtractor

    import devproc

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
        "DevProc": lambda: program(x=x)["y"],
        "torch.stft": in_torch,
        "librosa.stft": in_librosa,
        "transformers, NumPy": lambda: extract._np_extract_fbank_features(
            x[None], "cpu"
        )[0],
    }


def rows(threads: int) -> list[str]:
    """The row of this number of threads."""
    torch.set_num_threads(threads)
    runs = engines(threads)
    wanted = np.asarray(runs["transformers, NumPy"]())
    for name, run in runs.items():
        apart = np.abs(np.asarray(run()) - wanted).max()
        assert apart < 5e-4, (name, apart)
    return [row("30 s of sound -> log-mel", runs)]


if __name__ == "__main__":
    run_benchmark(__file__, "Sound to log-mel", rows)
