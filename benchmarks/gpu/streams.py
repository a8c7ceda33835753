"""What streams gain: inputs of the host with and without staging memory, two islands."""

from __future__ import annotations

import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import torch
from torch import nn

import devproc
from devproc.backend.installed import backend
from devproc.dialects.dev import TargetAttr
from gpu.card import LEAST_SECONDS, Card
from gpu.forms import export, make

CALLS = 100
"""Calls of all threads together."""

ALONE, COPIES, ISLANDS = 1, 3, 4
"""Streams: copies without staging memory on the caller's, copies on their own, all."""


@contextmanager
def with_streams(count: int) -> Generator[None]:
    """Within which programs for `cuda` use so many streams."""
    cuda = backend("cuda")
    describe = cuda.describe

    def limited(target: TargetAttr) -> Any:
        return replace(describe(target), streams=count)

    setattr(cuda, "describe", limited)
    try:
        yield
    finally:
        setattr(cuda, "describe", describe)


def host_inputs(name: str, card: Card) -> list[dict[str, Any]]:
    """A call with values on the host, of one thread and of two."""
    exported = export(name, "bfloat16")
    _, inputs = make(name, "bfloat16")
    rows: list[dict[str, Any]] = []
    for streams in (ALONE, COPIES):
        with with_streams(streams):
            program = devproc.compile(exported, target="cuda", cache=False)
        rows.append(
            {
                "host inputs": name,
                "streams": streams,
                "call": card.seconds(partial(program, *inputs)),
                "two threads": seconds_of_threads(program, inputs, card),
            }
        )
    return rows


def seconds_of_threads(
    program: devproc.Program, inputs: tuple[torch.Tensor, ...], card: Card
) -> float:
    """The time of a call if two threads call one program."""
    if card.dry:
        return LEAST_SECONDS
    with ThreadPoolExecutor(2) as pool:
        begin = time.perf_counter()
        for future in [pool.submit(program, *inputs) for _ in range(CALLS)]:
            future.result()
        return (time.perf_counter() - begin) / CALLS


class TwoEncoders(nn.Module):
    """An image encoder and a sound encoder of small kernels, whose results are added."""

    def __init__(self) -> None:
        super().__init__()
        self.image = nn.Sequential(*_convolutions(nn.Conv2d), nn.AdaptiveAvgPool2d(1))
        self.sound = nn.Sequential(*_convolutions(nn.Conv1d), nn.AdaptiveAvgPool1d(1))

    def forward(self, image: torch.Tensor, sound: torch.Tensor) -> torch.Tensor:
        return self.image(image).flatten(1) + self.sound(sound).flatten(1)


def _convolutions(kind: type[nn.Module]) -> list[nn.Module]:
    channels = [8, 32, 32, 64, 64, 128, 128, 256, 256]
    sizes = pairwise(channels)
    layers = [(kind(i, o, 3, padding=1), nn.ReLU()) for i, o in sizes]
    return [layer for pair in layers for layer in pair]


def two_islands(card: Card) -> list[dict[str, Any]]:
    """The encoders one after the other, and on two streams: in a graph, and as a call."""
    torch.manual_seed(0)
    model = TwoEncoders().eval().to(torch.bfloat16)
    inputs = (torch.randn(1, 8, 28, 28), torch.randn(1, 8, 400))
    inputs = tuple(value.to(torch.bfloat16) for value in inputs)
    with torch.no_grad():
        exported = torch.export.export(model, inputs)
        wanted = model(*inputs)
    rows: list[dict[str, Any]] = []
    for streams in (COPIES, ISLANDS):
        with with_streams(streams):
            program = devproc.compile(exported, target="cuda", cache=False)
        used = {step.stream for step in program.artifact.host.steps}
        row: dict[str, Any] = {"islands": len(used - {0, 1, 2}) + 1}
        if not card.dry:
            difference = (program(*inputs) - wanted).abs().max()
            row["difference"] = float(difference / wanted.abs().max() / 2e-2)
        given = tuple(value.to(card.device) for value in inputs)
        row["ours"] = card.seconds(partial(program, *given), graph=True)
        row["call"] = card.seconds(partial(program, *inputs))
        rows.append(row)
    return rows
