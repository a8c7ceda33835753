"""Ten minutes of sound, frame by frame: time of a frame, memory, and the delay.

The program of `examples/stream.py` (log-mel spectrogram and a causal network, a hop of 10 ms
for each call) beside the same in PyTorch, which keeps the samples and the past of its layers
in buffers too, in turns of a second of sound.

    python benchmarks/streams.py [--minutes 10] [--write]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import librosa
import numpy as np
import torch
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "examples")]

import stream  # noqa: E402
from results import write_section  # noqa: E402

RATE = 16_000
HOPS = RATE // stream.HOP
"""Frames of a second, a turn."""

HEAD = (
    "| minute | DevProc, us a frame: median, 99 % | PyTorch | ratio of medians | memory beyond "
    "minute 1, KB | difference of scores |",
    "|---|---|---|---|---|---|",
)

Listen = Callable[[NDArray[np.int16]], NDArray[np.float32]]


def in_torch() -> Listen:
    """The same frame by frame in PyTorch: the scores of a hop."""
    net = stream.model()
    bank = torch.from_numpy(
        librosa.filters.mel(sr=RATE, n_fft=stream.WINDOW, n_mels=stream.BANDS)
    )
    window, wave = torch.hann_window(stream.WINDOW), torch.zeros(stream.WINDOW)

    @torch.no_grad()
    def listen(hop: NDArray[np.int16]) -> NDArray[np.float32]:
        wave[: -stream.HOP] = wave[stream.HOP :].clone()
        wave[-stream.HOP :] = torch.from_numpy(hop).float() / 32768
        power = torch.fft.rfft(wave * window).abs() ** 2
        return net((bank @ power)[None, :, None])[0, :, 0].numpy()

    return listen


def sound(second: int) -> NDArray[np.int16]:
    """A second of a sweep in noise, hop by hop; other numbers each time."""
    rng = np.random.default_rng(second)
    at = second + np.arange(RATE) / RATE
    wave = 8000 * np.sin(2 * np.pi * (200 + 5 * at) * at) + rng.normal(0, 300, RATE)
    return wave.astype(np.int16).reshape(HOPS, stream.HOP)


def memory() -> int:
    """Bytes of memory in use by this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def timed(listen: Listen, hops: NDArray[np.int16]) -> tuple[list[float], Any]:
    """Microseconds of each frame, and the scores of all."""
    times, found = list[float](), list[NDArray[np.float32]]()
    for hop in hops:
        started = time.perf_counter()
        scores = listen(hop)
        times.append((time.perf_counter() - started) * 1e6)
        found.append(scores)
    return times, np.array(found)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    given = parser.parse_args()
    torch.set_num_threads(1)
    program = stream.build(stream.model())
    engines: list[Listen] = [
        lambda hop: program(hop=hop)["scores"][0, :, 0],
        in_torch(),
    ]
    lines, base = list[str](HEAD), 0
    for minute in range(1, given.minutes + 1):
        times: list[list[float]] = [[], []]
        worst = 0.0
        for second in range(60 * (minute - 1), 60 * minute):
            hops = sound(second)
            results = [timed(listen, hops) for listen in engines]
            for kept, (new, _) in zip(times, results, strict=True):
                kept += new
            (_, ours), (_, theirs) = results
            worst = max(
                worst, float(np.abs(ours - theirs).max() / np.abs(theirs).max())
            )
        median, torch_median = (float(np.median(t)) for t in times)
        most = np.quantile(times[0], 0.99)
        used = memory()
        base = base or used
        lines.append(
            f"| {minute} | {median:.1f}, {most:.1f} | "
            f"{torch_median:.1f} | {median / torch_median:.3f} | "
            f"{(used - base) / 1024:.0f} | {worst:.1e} |"
        )
        print(lines[-1], flush=True)
    lines += ["", f"A frame is {1e6 * stream.HOP / RATE:.0f} us of sound."]
    if given.write:
        write_section(
            "Ten minutes of sound",
            f"python benchmarks/streams.py --minutes {given.minutes}",
            lines,
        )


if __name__ == "__main__":
    main()
