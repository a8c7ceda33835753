"""Overlapping windows added up: `F.fold` and the inverse short-time transform."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import devproc
from devproc.frontends.torch_export.importer import import_program
from tests.frontends.imported import check

SECOND = 16000


def random(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


class Fold(nn.Module):
    """`F.fold` with fixed sizes."""

    def __init__(self, *sizes: Any) -> None:
        super().__init__()
        self.sizes = sizes

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.fold(x, *self.sizes)


def columns(channels: int, *sizes: Any) -> torch.Tensor:
    """Random columns of images (2, channels, *size)."""
    size, *others = sizes
    return random(*F.unfold(torch.zeros(2, channels, *size), *others).shape)


FOLDS: tuple[tuple[Any, ...], ...] = (
    # size, kernel, dilation, padding, stride
    ((1, 101), (1, 23), 1, 0, (1, 9)),
    ((1, 95), (1, 24), 1, (0, 11), (1, 8)),
    ((67, 1), (16, 1), 1, (5, 0), (16, 1)),
    ((33, 47), (9, 16), 1, (3, 0), (9, 10)),
    ((32, 31), (20, 5), 1, (4, 2), (8, 2)),
    ((7, 40), (2, 40), (3, 1), (1, 20), (2, 13)),
    ((12, 13), (3, 4), (2, 3), (2, 4), (2, 2)),
    ((12, 13), 5, 2, 3, 1),
    ((9, 9), 2, 1, 0, 5),
)


@pytest.mark.parametrize("sizes", FOLDS, ids=str)
def test_folds(sizes: tuple[Any, ...]) -> None:
    """Of whole numbers, whose sums are exact in any order."""
    given = (columns(3, *sizes) * 40).round()
    given[0, 0, 0] = float("inf")
    check(Fold(*sizes), given)
    check(Fold(*sizes), given[1].double())
    check(Fold(*sizes), given > 30)


def test_fold_in_float32_is_near_float64() -> None:
    given = columns(1, *FOLDS[1])
    exported = torch.export.export(Fold(*FOLDS[1]), (given,))
    found = devproc.compile(exported, cache=False)(given)
    wanted = F.fold(given.double(), *FOLDS[1])
    torch.testing.assert_close(found.double(), wanted, rtol=1e-6, atol=1e-6)


class Inverse(nn.Module):
    """`torch.istft` of the two parts of a spectrum."""

    window: torch.Tensor | None

    def __init__(self, window: torch.Tensor | None, **options: Any) -> None:
        super().__init__()
        self.register_buffer("window", window)
        self.options = options

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        spectrum = torch.view_as_complex(x)
        found = torch.istft(spectrum, window=self.window, **self.options)
        return torch.view_as_real(found) if found.is_complex() else found


def ramp(size: int) -> torch.Tensor:
    """A window of the user's."""
    return torch.linspace(0.3, 1.7, size)


INVERSES: dict[str, tuple[torch.Tensor | None, dict[str, Any]]] = {
    "defaults": (None, {"n_fft": 16}),
    "blocks": (torch.hann_window(40), {"n_fft": 40, "hop_length": 16}),
    "short": (ramp(19), {"n_fft": 30, "hop_length": 9, "win_length": 19}),
    "left": (ramp(18), {"n_fft": 18, "hop_length": 5, "center": False}),
    "cut": (ramp(24), {"n_fft": 24, "hop_length": 8, "length": 61}),
    "long": (ramp(24), {"n_fft": 24, "hop_length": 8, "length": 100}),
    "norm": (torch.hamming_window(20), {"n_fft": 20, "normalized": True}),
    "whole": (torch.hann_window(20), {"n_fft": 20, "onesided": False}),
    "complex": (
        ramp(21),
        {"n_fft": 21, "hop_length": 6, "onesided": False, "return_complex": True},
    ),
}


@pytest.mark.parametrize("name", INVERSES)
@pytest.mark.parametrize("batch", [(), (3,)])
def test_inverses(name: str, batch: tuple[int, ...]) -> None:
    window, options = INVERSES[name]
    n_fft = options["n_fft"]
    bins = n_fft // 2 + 1 if options.get("onesided", True) else n_fft
    model, given = Inverse(window, **options), random(*batch, bins, 9, 2)
    found = devproc.compile(torch.export.export(model, (given,)), cache=False)(given)
    torch.testing.assert_close(found, model(given), rtol=1e-4, atol=3e-6)
    exact = Inverse(None if window is None else window.double(), **options)
    wanted = exact(given.double())
    torch.testing.assert_close(found.double(), wanted, rtol=1e-4, atol=3e-6)


@pytest.mark.parametrize(
    ("n_fft", "hop"), [(400, 160), (512, 256), (1024, 256), (1024, 160), (400, 20)]
)
def test_ten_seconds_of_sound(n_fft: int, hop: int) -> None:
    """The tables of the import grow with the frames, not with their square: one of all
    places and taps would have 1e10 elements.
    """
    frames = 10 * SECOND // hop
    given = torch.zeros(n_fft // 2 + 1, frames, 2)
    model = Inverse(torch.hann_window(n_fft), n_fft=n_fft, hop_length=hop)
    program = import_program(torch.export.export(model, (given,)))
    size = program.weights.byte_count()
    # Those of the transform, and twice (wave and windows) the place of each tap.
    assert size < 8 * n_fft**2 + 2 * (8 + 1) * (frames + 1) * n_fft
