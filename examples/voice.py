"""Whether someone speaks, chunk by chunk, as Silero's detector is called: with context.

    python examples/voice.py

Each call takes 512 samples. The last 64 of the chunk before go in front of them, and the
state of the recurrent layer comes from the call before, so that the chunks of a stream give
what the whole wave gives. Both are states of the program: the caller only gives sound. The
same wave in one call is compared too, with `frame`.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from torch import nn

import devproc

Floats = NDArray[np.float32]

CHUNK, CONTEXT, STATES, CHUNKS = 512, 64, 16, 6


class Voice(nn.Module):
    """Windows to a probability, through a convolution and a recurrent layer."""

    def __init__(self) -> None:
        super().__init__()
        self.bands = nn.Conv1d(1, 8, 64, 32)
        self.mix = nn.Linear(8, STATES)
        self.memory = nn.LSTMCell(STATES, STATES)
        self.decide = nn.Linear(STATES, 1)

    def features(self, window: torch.Tensor) -> torch.Tensor:
        """Windows (n, context + chunk) to (n, states)."""
        return self.mix(self.bands(window[:, None]).relu().mean(2))

    def forward(
        self, window: torch.Tensor, h: torch.Tensor, c: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The probability of one window, and the states for the next."""
        h, c = self.memory(self.features(window), (h, c))
        return self.decide(h).sigmoid(), h, c


def model() -> Voice:
    """The model, always with the same weights."""
    torch.manual_seed(0)
    return Voice().eval()


def build(net: Voice) -> devproc.Program:
    """The program of one chunk of a stream."""
    pipe = devproc.pipeline("voice")
    chunk = pipe.input("chunk", np.int16, (1, CHUNK), "")
    h, c = (pipe.state(name, np.float32, (1, STATES), layout="") for name in "hc")
    window = pipe.with_past(chunk / 32768, CONTEXT, axis=1, name="context")
    given = (torch.zeros(window.shape), *(torch.zeros(1, STATES) for _ in "hc"))
    speech, h, c = pipe.model(torch.export.export(net, given), window, h, c)
    pipe.update("h", h)
    pipe.update("c", c)
    pipe.output("speech", speech)
    return devproc.compile(pipe)


def build_windows() -> devproc.Program:
    """All windows of a wave in one call, the context of the first one being silence."""
    pipe = devproc.pipeline("windows")
    wave = pipe.input("wave", np.int16, (CHUNKS * CHUNK,), "") / 32768
    chunks = pipe.frame(wave, CHUNK, CHUNK)
    silence = chunks[:1, -CONTEXT:] * 0
    context = pipe.concat([silence, chunks[:-1, -CONTEXT:]], axis=0)
    pipe.output("windows", pipe.concat([context, chunks], axis=1))
    return devproc.compile(pipe)


def stream(program: devproc.Program, wave: NDArray[np.int16]) -> Floats:
    """The probability of each chunk, in order."""
    program.reset()
    chunks = wave.reshape(-1, 1, CHUNK)
    return np.array([program(chunk=c)["speech"][0, 0] for c in chunks], np.float32)


def by_pytorch(net: Voice, wave: NDArray[np.int16]) -> tuple[Floats, Floats]:
    """Probabilities and windows of the whole wave, cut by PyTorch."""
    real = torch.from_numpy(wave).float() / 32768
    padded = torch.nn.functional.pad(real, (CONTEXT, 0))
    windows = padded.unfold(0, CONTEXT + CHUNK, CHUNK)
    h, c = torch.zeros(1, STATES), torch.zeros(1, STATES)
    found: list[torch.Tensor] = []
    with torch.no_grad():
        for window in windows:
            speech, h, c = net(window[None], h, c)
            found.append(speech[0])
    return torch.cat(found).numpy(), windows.numpy()


def demo(console: Console) -> float:
    """Listen to a sweep in noise; gives the largest difference of a probability."""
    rng, time = np.random.default_rng(0), np.arange(CHUNKS * CHUNK) / 16000
    sound = np.sin(2 * np.pi * (200 + 900 * time) * time) * time / time[-1]
    wave = (8000 * sound + rng.normal(0, 300, time.size)).astype(np.int16)
    net = model()
    speech, windows = by_pytorch(net, wave)
    assert np.array_equal(build_windows()(wave=wave)["windows"], windows)
    difference = float(np.abs(stream(build(net), wave) - speech).max())
    console.print(f"{CHUNKS} chunks, at most {difference:.1e} away from the whole wave")
    return difference


if __name__ == "__main__":
    demo(Console())
