"""Sound to the states of Whisper's encoder.

    python examples/listen.py

16-bit samples in, log-mel spectrogram and encoder in one program. The features are
compared with transformers' `WhisperFeatureExtractor`, the states with PyTorch's.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from small_models import exported, whisper_encoder

import devproc

RATE, SECONDS = 16_000, 3
FRAMES = SECONDS * 100


def vowels(seed: int) -> NDArray[np.int16]:
    """Something like a voice: a gliding buzz through the resonances of four vowels."""
    rng = np.random.default_rng(seed)
    time = np.arange(RATE * SECONDS) / RATE
    pitch = 2 * np.pi * np.cumsum(110 + 30 * np.sin(2 * np.pi * 0.7 * time)) / RATE
    formants = ((730, 1090), (270, 2290), (300, 870), (530, 1840))
    part = (time * len(formants) / SECONDS).astype(int)
    wave = 0.002 * rng.standard_normal(len(time))
    for harmonic in range(1, 40):
        frequency = harmonic * 110
        gains = [
            sum(1 / (1 + ((frequency - f) / 120) ** 2) for f in pair)
            for pair in formants
        ]
        wave += np.array(gains)[part] * np.sin(harmonic * pitch)
    return (wave / np.abs(wave).max() * 20_000).astype(np.int16)


def build(encoder: torch.nn.Module) -> devproc.Program:
    """The program of 16-bit samples."""
    pipe = devproc.pipeline("listen")
    wave = pipe.input("wave", "int16", (RATE * SECONDS,))
    x = pipe.scale(wave, 1 / 32768)
    features = pipe.log_mel(x, like="whisper", length=RATE * SECONDS)
    features = pipe.stack([features]) if len(features.shape) == 2 else features
    example = torch.zeros(features.shape)
    (states,) = pipe.model(exported(encoder, "last_hidden_state", x=example), features)
    pipe.output("features", features)
    pipe.output("states", states)
    return devproc.compile(pipe)


def demo(console: Console) -> tuple[float, float]:
    """Listen to two voices; gives the largest differences of features and states."""
    from transformers import WhisperFeatureExtractor

    extractor = WhisperFeatureExtractor(chunk_length=SECONDS)
    encoder = whisper_encoder(FRAMES)
    program = build(encoder)
    largest = [0.0, 0.0]
    for seed in range(2):
        wave = vowels(seed)
        out = program(wave=wave)
        given = extractor(
            wave.astype(np.float32) / 32768, sampling_rate=RATE, return_tensors="pt"
        )["input_features"]
        with torch.no_grad():
            states = encoder(given).last_hidden_state
        for i, (ours, wanted) in enumerate(
            ((out["features"], given), (out["states"], states))
        ):
            difference = np.abs(ours - wanted.numpy()).max()
            largest[i] = max(largest[i], float(difference))
    console.print(
        f"{FRAMES} frames: features at most {largest[0]:.1e} from transformers', states "
        f"at most {largest[1]:.1e} from PyTorch's"
    )
    return largest[0], largest[1]


if __name__ == "__main__":
    demo(Console())
