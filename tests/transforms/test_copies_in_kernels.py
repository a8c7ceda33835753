"""Slices, transposes and borders inside of kernels: what reads or makes them does it.

Each function is compiled and compared with PyTorch; the number of kernels stands here.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import devproc
from devproc.dialects.dev import LaunchOp
from devproc.driver import make_context, run_stages, stages_between
from devproc.options import target_options
from devproc.source import read_source
from tests.fuzz.compare import guarded_outputs


class Function(nn.Module):
    """A function of tensors, and of the layers it is given."""

    def __init__(self, function: Callable[..., object]):
        super().__init__()
        self.function = function
        self.linear = nn.Linear(8, 5)
        self.conv = nn.Conv2d(4, 6, 3, padding=1)
        self.wide = nn.Conv2d(32, 32, 3)

    def forward(self, *inputs: Tensor) -> object:
        return self.function(self, *inputs)


def heads(m: Function, x: Tensor) -> Tensor:
    """Attention without softmax: queries, keys and values are parts of one tensor."""
    n, t, _ = x.shape
    q, k, v = x.reshape(n, t, 3, 2, -1).permute(2, 0, 3, 1, 4)
    return (q @ k.transpose(-1, -2) @ v).transpose(1, 2).reshape(n, t, -1)


def split_heads(m: Function, x: Tensor) -> Tensor:
    q, k, v = x.split(x.shape[-1] // 3, -1)
    return q @ k.transpose(1, 2) @ v


def cut_and_bordered(m: Function, x: Tensor) -> Tensor:
    """No operand of the one kernel is walked by its loops alone."""
    return F.pad(torch.relu(x * 2)[:, :, 1:-1, 1:-1], (1, 1, 1, 1), value=3.0)


def bordered_and_summed(m: Function, x: Tensor) -> tuple[Tensor, Tensor]:
    y = torch.relu(x)
    return F.pad(y, (1, 2, 0, 1)), y.sum(3)


READS: dict[str, tuple[int | None, Callable[..., object], tuple[int, ...]]] = {
    # (kernels, where that is the point; function, size of the input)
    "linear of rows": (1, lambda m, x: m.linear(x[:, 2:]), (2, 7, 8)),
    "linear of first rows": (1, lambda m, x: m.linear(x[:, :5]), (2, 7, 8)),
    "linear of some rows": (1, lambda m, x: m.linear(x[:, 1::3]), (2, 9, 8)),
    "linear of a part": (1, lambda m, x: m.linear(x[..., 3:11]), (2, 7, 13)),
    "linear of the first part": (1, lambda m, x: m.linear(x[..., :8]), (2, 7, 13)),
    "linear of permuted rows": (1, lambda m, x: m.linear(x.transpose(0, 1)), (3, 7, 8)),
    "linear of reversed rows": (2, lambda m, x: m.linear(x.flip(1)), (2, 7, 8)),
    "product of parts": (1, lambda m, x: x[:, 2:] @ x[2:], (5, 5)),
    "product of first parts": (1, lambda m, x: x[:, :3] @ x[:3], (5, 5)),
    "product of strided parts": (1, lambda m, x: x[:, ::2] @ x[::2], (5, 5)),
    "product of a number": (None, lambda m, x: x[0, 0].expand(4, 5) @ x, (5, 5)),
    "parts of one tensor": (None, heads, (2, 5, 24)),
    "split": (3, split_heads, (2, 5, 12)),
    "gated": (
        1,
        lambda m, x: (lambda a, b: a * b.sigmoid())(*x.chunk(2, 1)),
        (2, 6, 5),
    ),
    "gated image": (
        3,
        lambda m, x: (lambda a, b: a * torch.tanh(b))(*m.conv(x).chunk(2, 1)),
        (2, 4, 5, 7),
    ),
    "window of a part": (3, lambda m, x: m.conv(x[:, 1:5, 1:, ::2]), (2, 6, 7, 9)),
    # Winograd's algorithm takes whole images, and tiles of their parts would be others.
    "window of the first part": (None, lambda m, x: m.wide(x[:, :32]), (2, 40, 9, 11)),
    "window of first lines": (None, lambda m, x: m.wide(x[:, :, :9]), (2, 32, 14, 11)),
    "window of first pixels": (None, lambda m, x: m.wide(x[..., :9]), (2, 32, 9, 14)),
    "border": (1, lambda m, x: F.pad(x.exp(), (2, 0, 1, 3), value=-1.0), (2, 3, 4, 5)),
    "border behind alone": (1, lambda m, x: F.pad(x.exp(), (0, 2, 0, 1)), (2, 3, 4)),
    "border of one pixel": (
        2,
        lambda m, x: F.pad(x.mean((2, 3), keepdim=True), (1, 1, 1, 1)),
        (2, 3, 4, 5),
    ),
    "border of a comparison": (
        1,
        lambda m, x: F.pad(x > 0, (1, 1, 2, 0), value=True),
        (2, 3, 4, 5),
    ),
    "border of a comparison in place": (
        1,
        lambda m, x: F.pad(~(x > 0)[:, 1:-1], (0, 0, 1, 1)),
        (3, 6, 5),
    ),
    "cut and bordered": (1, cut_and_bordered, (2, 3, 6, 7)),
    "bordered and summed": (2, bordered_and_summed, (2, 3, 6, 7)),
    "bordered softmax": (2, lambda m, x: F.pad(x.softmax(2), (1, 1)), (2, 3, 8)),
    "a part that is viewed": (1, lambda m, x: x.exp()[:2].reshape(-1) * 3, (3, 4, 5)),
    "no part": (None, lambda m, x: x[:, 3:3], (2, 5)),
}


def kernels(model: nn.Module, x: Tensor) -> int:
    """Launches of one call on a CPU."""
    module = read_source(torch.export.export(model, (x,))).module
    module.attributes["devproc.target"] = target_options("cpu", 1, "strict")
    run_stages(module, make_context(), stages_between(None, "kernels"))
    return sum(isinstance(op, LaunchOp) for op in module.walk())


@pytest.mark.parametrize("name", READS)
def test_equals_pytorch(name: str) -> None:
    count, function, shape = READS[name]
    torch.manual_seed(len(name))
    model, x = Function(function).eval(), torch.randn(shape)
    program = devproc.compile(torch.export.export(model, (x,)), cache=False)
    with torch.no_grad(), guarded_outputs():
        found, wanted = program(x), model(x)
    for mine, theirs in zip(
        found if isinstance(found, tuple) else (found,),
        wanted if isinstance(wanted, tuple) else (wanted,),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-5)
    assert count is None or kernels(model, x) == count
