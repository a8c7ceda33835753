"""Convolutions by Winograd's algorithm along their lines, beside PyTorch in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from devproc.dialects.dev import WinogradLineAttr
from tests.cpu.test_winograd import (
    Block,
    alone,
    check,
    compiled,
    images,
    layouts,
    relative_error,
)


def stem(channels: int = 3, outputs: int = 32, **options: Any) -> nn.Conv2d:
    """A first convolution: 7 x 7 with a stride of 2, unless options say otherwise."""
    chosen: dict[str, Any] = {"kernel_size": 7, "stride": 2, "padding": 3} | options
    return nn.Conv2d(channels, outputs, **chosen)


def lines(model: nn.Module, *inputs: Tensor, **options: Any) -> list[str]:
    """The stride and the panel of each convolution that takes the algorithm."""
    chosen: dict[str, Any] = {"bits": 256, "precision": "default"} | options
    return layouts(model, *inputs, layout=WinogradLineAttr, **chosen)


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize(
    ("height", "width", "outputs"),
    [(21, 64, 32), (64, 96, 48), (7, 223, 64), (50, 72, 80)],
)
def test_sizes(height: int, width: int, outputs: int, bits: int) -> None:
    """Odd and even lines, panels of one, two and three vectors, several images."""
    torch.manual_seed(bits)
    model, x = Block(alone, stem(outputs=outputs)), images(2, 3, height, width)
    (found,) = lines(model, x, bits=bits)
    lanes = bits // 32
    vectors = next(v for v in (2, 3, 1) if outputs % (v * lanes) == 0)
    assert found == f"<2, {vectors * lanes}>"
    check(model, x, bits=bits)


FORMS: dict[str, tuple[nn.Conv2d, tuple[int, ...]]] = {
    "5 taps": (stem(kernel_size=5, padding=2), (1, 3, 33, 64)),
    "6 taps": (stem(kernel_size=6, padding=2), (1, 3, 20, 64)),
    "8 taps": (stem(kernel_size=8, padding=3), (2, 3, 25, 64)),
    "5 lines": (stem(kernel_size=(5, 7), padding=(0, 3)), (1, 3, 25, 64)),
    "9 lines": (stem(channels=2, kernel_size=(9, 7)), (3, 2, 20, 72)),
    "four channels": (stem(channels=4), (1, 4, 24, 128)),
    "stride 1": (stem(channels=4, kernel_size=(5, 4), stride=1), (2, 4, 9, 21)),
    "stride 1, 3 taps": (stem(kernel_size=(7, 3), stride=1), (2, 3, 9, 12)),
    "no padding": (stem(padding=0), (2, 3, 25, 69)),
    "one line": (stem(padding=0), (2, 3, 7, 69)),
    "no bias": (stem(bias=False), (1, 3, 40, 64)),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(name: str) -> None:
    torch.manual_seed(len(name))
    layer, shape = FORMS[name]
    model, x = Block(alone, layer), images(*shape)
    assert len(lines(model, x)) == 1
    check(model, x, bits=256)


FALLS_BACK: dict[str, tuple[nn.Conv2d, tuple[int, ...]]] = {
    "outputs are no whole vectors": (stem(outputs=36), (1, 3, 64, 64)),
    "one channel": (stem(channels=1, kernel_size=(9, 7)), (3, 1, 20, 72)),
    "many channels": (stem(channels=5), (1, 5, 64, 64)),
    "parts of tiles": (stem(), (1, 3, 64, 68)),
    "short lines": (stem(), (1, 3, 64, 56)),
    "9 taps": (stem(kernel_size=9, padding=4), (1, 3, 64, 64)),
    "3 taps": (stem(kernel_size=3, padding=1), (1, 3, 64, 64)),
    "few terms": (stem(kernel_size=3, stride=1, padding=1), (1, 3, 64, 64)),
    "two strides": (stem(stride=(1, 2)), (1, 3, 64, 64)),
    "stride 3": (stem(stride=3), (1, 3, 96, 96)),
    "dilation": (stem(dilation=2, padding=6), (1, 3, 64, 64)),
    "groups": (stem(channels=4, groups=2), (1, 4, 64, 64)),
    "float64": (stem().double(), (1, 3, 64, 64)),
}


@pytest.mark.parametrize("why", FALLS_BACK)
def test_falls_back(why: str) -> None:
    layer, shape = FALLS_BACK[why]
    model, x = Block(alone, layer), images(*shape).to(layer.weight.dtype)
    assert lines(model, x) == []
    with torch.no_grad():
        found, wanted = compiled(model, x, bits=256)(x), model(x)
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


EPILOGUES: dict[str, Callable[..., object]] = {
    "relu": lambda m, x, y: m[0](x).relu(),
    "residual": lambda m, x, y: (m[0](x) + y).relu(),
    "value of each pixel": lambda m, x, y: m[0](x) * y[:, :1],
    "next convolution": lambda m, x, y: m[1](m[0](x).relu()),
    "next pool": lambda m, x, y: F.max_pool2d(m[0](x).relu(), 3, 2, 1),
    "border of ones": lambda m, x, y: F.pad(m[0](x), (1, 2, 0, 3), value=1.0),
    "normed pixels": lambda m, x, y: m[0]((x - 0.5) * 3),
    "turned image": lambda m, x, y: m[0](x.flip(2)),
}


@pytest.mark.parametrize("bits", [256, 512])
@pytest.mark.parametrize("name", EPILOGUES)
def test_beside_other_operators(name: str, bits: int) -> None:
    torch.manual_seed(1)
    model = Block(EPILOGUES[name], stem(), nn.Conv2d(32, 32, 3, padding=1))
    x, y = images(2, 3, 20, 64), images(2, 32, 10, 32, seed=1)
    assert lines(model, x, y, bits=bits)
    check(model, x, y, bits=bits)


@pytest.mark.parametrize("height", [7, 40, 111])
def test_threads_change_no_bit(height: int) -> None:
    torch.manual_seed(5)
    model, x = Block(alone, stem(outputs=64)), images(1, 3, height, 192)
    results = [compiled(model, x, threads=n, bits=256)(x) for n in (1, 2, 3)]
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])


def test_strict_is_direct() -> None:
    torch.manual_seed(0)
    model, x = Block(alone, stem()), images(1, 3, 40, 64)
    assert lines(model, x) == ["<2, 16>"]
    assert lines(model, x, precision="strict") == []
    program = compiled(model, x, precision="strict")
    with torch.no_grad():
        theirs, wanted = model(x), model.double()(x.double())
    model.float()
    errors = relative_error(program(x), wanted), relative_error(theirs, wanted)
    assert errors[0] <= max(2 * errors[1], 1.2e-7)


def test_nan_spreads_over_its_tiles_alone() -> None:
    """Pixels that share no tile with it are as in PyTorch."""
    torch.manual_seed(0)
    model, x = Block(alone, stem()), images(1, 3, 32, 80)
    x[0, 1, 15, 30], x[0, 2, -1, -1] = torch.nan, torch.inf
    with torch.no_grad():
        found, wanted = compiled(model, x, bits=256)(x), model(x)
    reached = ~wanted.isfinite().all(1)
    # Tiles of four pixels of a line; a window reaches three pixels to both sides.
    tiles = reached.reshape(1, 16, -1, 4).any(-1).repeat_interleave(4, -1)
    tiles[:, 6:10, 12:20] = True
    spread = ~found.isfinite().all(1)
    assert (spread <= tiles).all()
    assert (spread >= reached).all()
    whole = ~tiles[:, None].expand_as(found)
    torch.testing.assert_close(found[whole], wanted[whole], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_random(seed: int) -> None:
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    lanes = int(rng.choice([4, 8, 16]))
    channels, outputs = int(rng.integers(2, 5)), lanes * int(rng.integers(1, 7))
    height, tiles = int(rng.integers(7, 60)), int(rng.integers(8, 40))
    layer = stem(channels, outputs, bias=bool(rng.integers(2)))
    model = Block(lambda m, x: m[0](x).relu(), layer)
    x = images(int(rng.integers(1, 4)), channels, height, 8 * tiles, seed=seed)
    assert len(lines(model, x, bits=32 * lanes)) == 1
    check(model, x, bits=32 * lanes, threads=int(rng.integers(1, 4)))
