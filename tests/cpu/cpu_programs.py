"""Small programs, one for each way the CPU code is made, with what PyTorch says of them.

Odd sizes everywhere: every vector length leaves a ragged end.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor, nn
from torch.export import ExportedProgram

import devproc
from devproc.frontends.dsl import Pipeline


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Tensor]):
        super().__init__()
        self.function = function

    def forward(self, *operands: Tensor) -> Tensor:
        return self.function(*operands)


@dataclass(frozen=True)
class Case:
    """A program's source, its inputs, and the exact result or that in float64."""

    source: Pipeline | ExportedProgram
    inputs: tuple[np.ndarray, ...]
    wanted: np.ndarray
    exact: bool = False

    def compile(self, cpu: str, threads: int = 2) -> devproc.Program:
        """The program for a CPU."""
        return devproc.compile(self.source, cpu=cpu, threads=threads, cache=False)

    def check(self, result: np.ndarray) -> None:
        """Compare a result."""
        if self.exact:
            np.testing.assert_array_equal(result, self.wanted)
        else:
            np.testing.assert_allclose(result, self.wanted, rtol=2e-5, atol=2e-5)


def _case(module: nn.Module, *operands: Tensor, exact: bool = False) -> Case:
    module = module.eval()
    exported = torch.export.export(module, operands)
    with torch.no_grad():
        if exact:
            wanted = module(*operands)
        else:
            double = [x.double() if x.is_floating_point() else x for x in operands]
            wanted = deepcopy(module).double()(*double)
    return Case(exported, tuple(x.numpy() for x in operands), wanted.numpy(), exact)


def _resize() -> Case:
    pipe = devproc.pipeline("resize")
    image = pipe.input("image", "uint8", (23, 31, 3))
    resized = pipe.resize(image, (17, 41), like="pillow", mode="bilinear")
    pipe.output("image", resized)
    pixels = np.random.default_rng(0).integers(0, 256, (23, 31, 3), np.uint8)
    method = Image.Resampling.BILINEAR
    wanted = np.asarray(Image.fromarray(pixels).resize((41, 17), method))
    return Case(pipe, (pixels,), wanted, exact=True)


def _pixels() -> Case:
    """Channels in the other order, mirrored."""
    pixels = np.random.default_rng(0).integers(0, 256, (7, 53, 3), np.uint8)
    pipe = devproc.pipeline("pixels")
    image = pipe.input("image", "uint8", pixels.shape, "HWC")
    pipe.output("image", pipe.flip(pipe.color(image, "RGB->BGR"), "horizontal"))
    return Case(pipe, (pixels,), pixels[:, ::-1, ::-1].copy(), exact=True)


def _special(x: Tensor) -> Tensor:
    """What needs several steps without the instruction: rounding, f16, functions."""
    y = torch.floor(x) + torch.ceil(x * 0.7) * torch.round(x) + torch.trunc(x * 1.3)
    y = y + torch.sin(x * 5) + torch.log1p(x.abs()) + torch.tanh(x) + torch.exp2(x)
    return y + torch.pow(x.abs(), 1.7)


def _half(x: Tensor) -> Tensor:
    """Exact: each op rounds an exact result once, denormals and overflow included."""
    return (x * 3.0).to(torch.float16) + x.to(torch.float16)


def _order(x: Tensor) -> Tensor:
    """Sorts by the digits of 32 and 64 bits, searches, a list, a search with a sort."""
    y = x.double()
    parts = [
        torch.sort(x, -1).values,
        torch.sort(y, -1, descending=True).values,
        torch.median(x, -1, keepdim=True).values,
        torch.kthvalue(y, 31, -1, keepdim=True).values,
        torch.topk(x, 9, -1).values,
        torch.topk(x, 70, -1).values,
    ]
    return torch.cat([part.double() for part in parts], -1)


def _scans(x: Tensor) -> Tensor:
    """Along rows and over columns; with places, and with functions."""
    places = torch.cummax(x, 1).indices + torch.cummin(x, 0).indices
    return x.cumsum(0) + x.cumsum(1) + places + x.logcumsumexp(1)


CASES: dict[str, Callable[[], Case]] = {
    "matmul": lambda: _case(
        Function(torch.matmul), torch.randn(2, 13, 37), torch.randn(2, 37, 29)
    ),
    "linear": lambda: _case(
        nn.Sequential(nn.Linear(67, 53), nn.ReLU()), torch.randn(19, 67)
    ),
    "winograd": lambda: _case(
        nn.Conv2d(32, 48, 3, padding=1), torch.randn(2, 32, 13, 17)
    ),
    "winograd_line": lambda: _case(
        nn.Conv2d(3, 48, 7, stride=2, padding=3), torch.randn(2, 3, 13, 64)
    ),
    "conv": lambda: _case(nn.Conv2d(5, 7, 5, stride=2), torch.randn(2, 5, 15, 19)),
    "depthwise": lambda: _case(
        nn.Conv2d(21, 21, 3, padding=1, groups=21), torch.randn(2, 21, 11, 13)
    ),
    "transposed": lambda: _case(
        nn.ConvTranspose2d(12, 19, 3, 2, 1, 1), torch.randn(2, 12, 7, 9)
    ),
    "attention": lambda: _case(
        Function(F.scaled_dot_product_attention),
        *(torch.randn(2, 3, 19, 24) for _ in range(3)),
    ),
    "softmax": lambda: _case(nn.Softmax(-1), torch.randn(3, 5, 37)),
    "layer_norm": lambda: _case(nn.LayerNorm(37), torch.randn(2, 5, 37)),
    "gelu": lambda: _case(nn.GELU(), torch.randn(7, 43)),
    "special": lambda: _case(Function(_special), torch.randn(7, 43) * 3),
    "half": lambda: _case(
        Function(_half),
        torch.randn(7, 43) * 10.0 ** torch.linspace(-9, 6, 43),
        exact=True,
    ),
    # Numbers of 16 bits that only move: LLVM has calls for that, if asked.
    "bfloat16": lambda: _case(
        Function(lambda x: torch.sort(x.bfloat16()[:, ::7], -1).values.float()),
        torch.randn(5, 91),
        exact=True,
    ),
    "resize": _resize,
    "pixels": _pixels,
    "planes": lambda: _case(
        Function(lambda x: torch.stack([x[:, 0].flip(-1), x[:, 1], x[:, 0] + 1], -1)),
        torch.randn(2, 2, 53),
        exact=True,
    ),
    "sort": lambda: _case(
        Function(lambda x: torch.sort(x, -1).values), torch.randn(5, 67), exact=True
    ),
    "order": lambda: _case(Function(_order), torch.randn(3, 301), exact=True),
    "scan": lambda: _case(Function(_scans), torch.randn(13, 43)),
    "scatter": lambda: _case(
        Function(lambda x, i, y: torch.scatter(x, 1, i, y)),
        torch.randn(5, 23),
        torch.stack([torch.randperm(23)[:11] for _ in range(5)]),
        torch.randn(5, 11),
        exact=True,
    ),
}


@cache
def case(name: str) -> Case:
    """The program of this name; its numbers do not depend on the others."""
    with torch.random.fork_rng():
        torch.manual_seed(len(name))
        return CASES[name]()


class FeedForward(nn.Module):
    """A transformer's feed-forward half, after a linear layer that mixes channels."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Linear(width, width, bias=False)
        self.wide, self.narrow = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.mix(self.norm(x))
        return x + self.narrow(nn.functional.gelu(self.wide(self.norm(x))))
