"""Rows with a gap: which values of a program get one, and what it computes with them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import devproc
from devproc.accuracy import (
    FACTOR,
    ROUNDING,
    float64_outputs,
    largest_error,
    outputs_of,
)
from devproc.dialects.dev import LaunchOp
from devproc.driver import make_context, run_stages, stages_between
from devproc.ir.types import tensor_of
from devproc.options import set_options, target_options
from devproc.source import read_source

pytestmark = pytest.mark.usefixtures("shared_adders")
"""Winograd's inner product copies rows, so they get no gap."""


class Block(nn.Module):
    """A transformer's feed-forward block, of one or two branches."""

    def __init__(self, gated: bool):
        super().__init__()
        self.norm = nn.LayerNorm(64)
        self.up, self.down = nn.Linear(64, 1024), nn.Linear(1024, 64)
        self.gate = nn.Linear(64, 1024) if gated else None

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        h = (
            F.gelu(self.up(y))
            if self.gate is None
            else self.up(y).relu() * self.gate(y)
        )
        return x + self.down(h)


class Normed(nn.Module):
    """A product of normed rows, which the next one adds again."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(1024)
        self.a, self.b = nn.Linear(1024, 80), nn.Linear(80, 1024)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        return y + self.b(F.silu(self.a(y)))


class Bottleneck(nn.Module):
    """Residual blocks as in ResNet-50, and the readers of its last rows: 1x1 with a stride,
    3x3, a pooling beside them."""

    def __init__(self, pooled: bool):
        super().__init__()
        self.pooled = pooled
        self.first = nn.Conv2d(24, 1024, 1)
        self.narrow, self.wide = nn.Conv2d(1024, 40, 1), nn.Conv2d(40, 1024, 1)
        self.strided = nn.Conv2d(1024, 32, 1, stride=2)
        self.square = nn.Conv2d(1024, 32, 3, padding=1)

    def forward(self, x: Tensor) -> Sequence[Tensor]:
        x = self.first(x).relu()
        x = (x + self.wide(self.narrow(x).relu())).relu()
        found = [self.strided(x), self.square(x)]
        return (*found, F.max_pool2d(x, 3)) if self.pooled else found


CASES: dict[str, tuple[nn.Module, tuple[int, ...], int]] = {
    # (model, shape of its input, values that get a gap)
    "feed-forward": (Block(gated=False), (2, 13, 64), 1),
    "gated": (Block(gated=True), (1, 37, 64), 1),
    "normed": (Normed(), (3, 7, 1024), 1),
    "residual": (Bottleneck(pooled=False), (2, 24, 7, 9), 2),
    "pooled": (Bottleneck(pooled=True), (1, 24, 9, 7), 2),
    "few rows": (Block(gated=False), (1, 15, 64), 0),
    "empty": (Block(gated=False), (0, 37, 64), 0),
}


def padded(model: nn.Module, x: Tensor) -> int:
    """The values between kernels that have a gap behind each row."""
    module = read_source(torch.export.export(model, (x,))).module
    set_options(module, target_options("cpu", 2), {})
    run_stages(module, make_context(), stages_between(None, "kernels"))
    launches = [op for op in module.walk() if isinstance(op, LaunchOp)]
    shapes = [tensor_of(v).get_shape() for op in launches for v in op.outputs]
    return sum(shape[-1] == 1024 + 16 for shape in shapes)


@pytest.mark.parametrize("name", CASES)
def test_values_with_a_gap(name: str) -> None:
    torch.manual_seed(len(name))
    model, shape, count = CASES[name]
    model, x = model.eval(), torch.randn(shape)
    assert padded(model, x) == count
    exported, exact = torch.export.export(model, (x,)), float64_outputs(model, (x,))
    with torch.no_grad():
        bound = FACTOR * largest_error(outputs_of(model(x)), exact) + ROUNDING
    for threads in (1, 3):
        program = devproc.compile(
            exported,
            threads=threads,
            precision="strict",
            check_bounds=True,
            cache=False,
        )
        assert largest_error(outputs_of(program(x)), exact) <= bound


class Added(nn.Module):
    """A product onto one number, which a kernel of its own scales."""

    def forward(self, x: Tensor, y: Tensor, z: Tensor) -> Tensor:
        return torch.addmm(x, y, z, beta=0.2, alpha=0.6)


def test_a_number_between_kernels_has_no_rows() -> None:
    model, inputs = Added(), (torch.randn(()), torch.randn(5, 3), torch.randn(3, 7))
    program = devproc.compile(torch.export.export(model, inputs), cache=False)
    torch.testing.assert_close(program(*inputs), model(*inputs))


def test_a_row_that_is_not_finite_stays_alone() -> None:
    """Nothing of a row comes through the gap into the next one."""
    model, x = Block(gated=False).eval(), torch.randn(1, 40, 64)
    x[0, 7], x[0, 11] = torch.nan, torch.inf
    program = devproc.compile(torch.export.export(model, (x,)), cache=False)
    found = program(x)
    assert isinstance(found, Tensor)
    is_finite = found[0].isfinite().all(-1)
    assert is_finite.tolist() == [row not in (7, 11) for row in range(40)]


@pytest.mark.parametrize("name", ["feed-forward", "gated", "normed", "pooled"])
def test_rows_with_a_gap_are_stored_in_vectors(name: str) -> None:
    model, shape, _ = CASES[name]
    module = read_source(torch.export.export(model, (torch.randn(shape),))).module
    set_options(module, target_options("cpu", 2), {})
    run_stages(module, make_context(), stages_between(None, "cpu"))
    text = str(module)
    assert "1040xf32" in text
    assert "memref.store" not in text
