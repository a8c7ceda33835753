"""`scan`, a loop that carries values from step to step, beside a loop in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch._higher_order_ops.scan import scan
from torch.utils import _pytree as pytree

import devproc
from devproc.errors import UnsupportedError

X = torch.randn((7, 3, 5), generator=torch.Generator().manual_seed(0))
WIDE = torch.randn((5, 20), generator=torch.Generator().manual_seed(1))


def looped(
    step: Callable[..., Any], state: Any, rows: Any, dim: int = 0, reverse: bool = False
) -> Any:
    """What `scan` computes, by a loop over the steps."""
    count = pytree.tree_leaves(rows)[0].shape[dim]
    steps = list(range(count))[:: -1 if reverse else 1]
    found = dict[int, torch.Tensor]()
    for number in steps:
        now = pytree.tree_map(lambda x, n=number: x.select(dim, n), rows)
        state, found[number] = step(state, now)
    return state, torch.stack([found[n] for n in range(count)], dim)


class Model(nn.Module):
    """A function of the module and of an input."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__()
        self.function = function
        self.scan: Callable[..., Any] = scan
        self.register_buffer("wide", WIDE)

    def forward(self, x: torch.Tensor) -> Any:
        return self.function(self, x)


def one_carry(m: Any, x: torch.Tensor) -> Any:
    return m.scan(lambda c, row: (c * 0.5 + row, c * row), x[1] + 1, x)


def with_weights(m: Any, x: torch.Tensor) -> Any:
    """A weight, a large constant, and a value from before the loop."""
    before = x.mean(0)

    def step(c: torch.Tensor, row: torch.Tensor) -> Any:
        y = torch.tanh((row - before) @ m.wide)
        return c + y @ torch.arange(100.0).reshape(20, 5).to(y), (c * row).sum(-1)

    return m.scan(step, x[0] * 2, x)


def several(m: Any, x: torch.Tensor) -> Any:
    """Two carried values, of several dtypes, and two sequences."""

    def step(carry: Any, now: Any) -> Any:
        (c, count), (row, total) = carry, now
        return (torch.where(total > 0, c + row, row), count + 1), c * count

    sequences = x, x.sum((1, 2), keepdim=True)
    return m.scan(step, (x[1], torch.zeros(2, 1, dtype=torch.int64)[0]), sequences)


def along_another_axis(m: Any, x: torch.Tensor) -> Any:
    return m.scan(lambda c, row: (c - row, c.sin()), torch.ones_like(x[:, 0]), x, dim=1)


def backwards(m: Any, x: torch.Tensor) -> Any:
    return m.scan(lambda c, row: (c * row, c + 1), x[0], x, reverse=True)


def one_step(m: Any, x: torch.Tensor) -> Any:
    return m.scan(lambda c, row: (c * row, c + 1), x[0], x[:1])


def nested(m: Any, x: torch.Tensor) -> Any:
    def inner(c: torch.Tensor, row: torch.Tensor) -> Any:
        return c + row, c * row

    def outer(c: torch.Tensor, rows: torch.Tensor) -> Any:
        end, stacked = m.scan(inner, c, rows)
        return end, stacked.sum(0)

    return m.scan(outer, x[0, 0] + 1, x)


@pytest.mark.parametrize(
    "function",
    [
        one_carry,
        with_weights,
        several,
        along_another_axis,
        backwards,
        one_step,
        nested,
    ],
    ids=lambda function: function.__name__,
)
def test_scan(function: Callable[..., Any]) -> None:
    model = Model(function).eval()
    exported = torch.export.export(model, (X,))
    assert "higher_order.scan" in str(exported.graph)
    found = devproc.compile(exported, cache=False)(X)
    model.scan = looped
    wanted = pytree.tree_leaves(model.double()(X.double()))
    for a, b in zip(pytree.tree_leaves(found), wanted, strict=True):
        torch.testing.assert_close(a, b.to(a.dtype), rtol=2e-5, atol=2e-5)


def test_problems_within_a_scan() -> None:
    def step(c: torch.Tensor, row: torch.Tensor) -> Any:
        return c + torch.linalg.matrix_exp(row), row + 1

    model = Model(lambda m, x: m.scan(step, torch.zeros(3, 3), x))
    exported = torch.export.export(model, (X[..., :3].clone(),))
    with pytest.raises(UnsupportedError) as caught:
        devproc.compile(exported)
    (problem,) = caught.value.problems
    assert problem.what.startswith("aten.linalg_matrix_exp.default of float32 (3, 3)")


def test_a_scan_of_complex_numbers() -> None:
    model = Model(
        lambda m, x: torch.view_as_real(
            m.scan(lambda c, r: (c * r, c + r), *_complex(x))[0]
        )
    )
    with pytest.raises(UnsupportedError, match=r"scan of complex numbers.*real and"):
        devproc.compile(torch.export.export(model, (X,)))


def _complex(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    rows = torch.complex(x, x + 1)
    return rows[0].clone(), rows
