"""A stream of sound, 10 ms at a time: log-mel spectrogram and a causal network.

    python examples/stream.py

Each call takes 160 samples and gives the scores of one frame, 15 ms after the middle of its
window. The samples that windows share and what the convolutions have seen are states of the
program, so the frames of a stream are those of the whole wave, which PyTorch computes here.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from torch import nn

import devproc

HOP, WINDOW, BANDS, WIDTH, SCORES = 160, 400, 40, 24, 3
FRAMES = 50


class CausalConv(nn.Module):
    """A convolution over time that sees the past only, which it keeps in a buffer."""

    past: torch.Tensor

    def __init__(self, inputs: int, outputs: int, size: int = 3, dilation: int = 1):
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, size, dilation=dilation)
        self.register_buffer("past", torch.zeros(1, inputs, (size - 1) * dilation))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        whole = torch.cat([self.past, x], 2)
        self.past.copy_(whole[:, :, -self.past.shape[2] :])
        return self.conv(whole)


def model() -> nn.Module:
    """Bands of one frame, or of many, to scores; always with the same weights."""
    torch.manual_seed(0)
    layers = [CausalConv(BANDS, WIDTH), nn.ReLU()]
    layers += [CausalConv(WIDTH, WIDTH, dilation=2), nn.ReLU()]
    layers += [CausalConv(WIDTH, WIDTH, dilation=4), nn.ReLU()]
    return nn.Sequential(*layers, nn.Conv1d(WIDTH, SCORES, 1)).eval()


def build(net: nn.Module) -> devproc.Program:
    """The program of one hop."""
    pipe = devproc.pipeline("stream")
    hop = pipe.input("hop", np.int16, (HOP,), "")
    wave = pipe.with_past(hop / 32768, WINDOW - HOP, name="samples")
    power = pipe.power(pipe.stft(wave, WINDOW, hop=HOP, center=False))
    bands = pipe.mel(power, BANDS, 16_000)
    bands = pipe.reshape(bands, (1, BANDS, 1))
    scores = pipe.model(torch.export.export(net, (torch.zeros(1, BANDS, 1),)), bands)
    pipe.output("bands", bands)
    pipe.output("scores", scores)
    return devproc.compile(pipe)


def whole(
    net: nn.Module, wave: NDArray[np.int16]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The bands and scores of all frames at once, by librosa and PyTorch."""
    import librosa

    padded = np.pad(wave.astype(np.float32) / 32768, (WINDOW - HOP, 0))
    bands = librosa.feature.melspectrogram(
        y=padded, sr=16_000, n_fft=WINDOW, hop_length=HOP, n_mels=BANDS, center=False
    )
    with torch.no_grad():
        scores = net(torch.from_numpy(bands)[None])
    return bands, scores[0].numpy()


def demo(console: Console) -> tuple[float, float]:
    """Listen to a sweep in noise; the largest relative differences of bands and scores."""
    rng, time = np.random.default_rng(0), np.arange(FRAMES * HOP) / 16_000
    sound = np.sin(2 * np.pi * (200 + 3000 * time) * time)
    wave = (8000 * sound + rng.normal(0, 300, time.size)).astype(np.int16)
    net = model()
    program = build(net)
    found = [program(hop=hop) for hop in wave.reshape(-1, HOP)]
    differences: list[float] = []
    for name, wanted in zip(("bands", "scores"), whole(net, wave), strict=True):
        ours = np.concatenate([frame[name][0] for frame in found], 1)
        differences.append(float(np.abs(ours - wanted).max() / np.abs(wanted).max()))
    console.print(
        f"{FRAMES} frames of {HOP} samples: bands {differences[0]:.1e} and scores "
        f"{differences[1]:.1e} from those of the whole wave"
    )
    return differences[0], differences[1]


if __name__ == "__main__":
    demo(Console())
