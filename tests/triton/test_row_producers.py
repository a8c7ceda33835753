"""Sums of the parts of products in the row kernels that follow, against PyTorch.

Values are compared with PyTorch in float64, and may err four times as much as PyTorch does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import nn

import devproc
from devproc.targets.triton.interpretation.traffic import counting
from devproc.targets.triton.transforms.row_producers import loops_within
from tests.triton.test_rows import ROUNDINGS, assert_as_accurate, doubled, rounded

TERMS, COLUMNS = 1024, 77
"""Sums so long are split where results are so few."""

Function = Callable[..., Sequence[torch.Tensor]]


class Model(nn.Module):
    """A function of tensors, a linear layer and the modules that follow it."""

    def __init__(self, function: Function, *modules: nn.Module) -> None:
        super().__init__()
        self.function = function
        self.inner = nn.ModuleList([nn.Linear(TERMS, COLUMNS), *modules])

    def forward(self, *inputs: torch.Tensor) -> Sequence[torch.Tensor]:
        return self.function(*inputs, *self.inner)


def after_view(
    x: torch.Tensor, r: torch.Tensor, linear: nn.Linear, norm: nn.Module
) -> Sequence[torch.Tensor]:
    """A product of one batch, as rows of several (GPT-2's `Conv1D`)."""
    product = torch.addmm(linear.bias, x.flatten(0, 1), linear.weight.t())
    total = product.unflatten(0, x.shape[:2]) + r
    return norm(total), total


def two_producers(
    x: torch.Tensor, r: torch.Tensor, linear: nn.Module, norm: nn.Module
) -> Sequence[torch.Tensor]:
    """A product that is read by itself, and a pointwise op between it and the norm."""
    y = linear(x)
    z = torch.where(y > 0, y, r)
    return norm(z), z, y


NORM = nn.LayerNorm(COLUMNS)

VALUES: dict[str, tuple[Function, Sequence[nn.Module], int]] = {
    "layer_norm": (lambda x, r, linear, norm: (norm(linear(x) + r),), [NORM], 2),
    "sum_is_read": (
        lambda x, r, linear, norm: (norm(y := linear(x) + r), y),
        [NORM],
        2,
    ),
    "after_view": (after_view, [NORM], 2),
    "two_producers": (two_producers, [NORM], 2),
    "rms_norm": (
        lambda x, r, linear, norm: (norm(y := linear(x) + r), y),
        [nn.RMSNorm(COLUMNS)],
        2,
    ),
    "softmax": (lambda x, r, linear: (linear(x).relu().softmax(-1),), [], 2),
    "argmax": (lambda x, r, linear: (linear(x).argmax(-1),), [], 2),
    "two_readers": (
        lambda x, r, linear, norm: (norm(y := linear(x) + r), y.softmax(-1)),
        [NORM],
        3,
    ),
    "columns": (lambda x, r, linear: ((linear(x) + r).softmax(1),), [], 3),
}
"""Name -> a function, modules of it, and the most kernels of the program: in bfloat16 two
readers share the cast that begins their rows."""


def compiled(
    name: str, dtype: torch.dtype, inputs: Sequence[torch.Tensor]
) -> tuple[devproc.Program, nn.Module]:
    """A program under the interpreter, and its model."""
    function, modules, _ = VALUES[name]
    model = Model(function, *modules).eval().to(dtype)
    source = torch.export.export(model, tuple(inputs))
    return devproc.compile(source, "cuda:interpret", cache=False), model


def numbers(dtype: torch.dtype) -> list[torch.Tensor]:
    """Two batches of rows, and what is added to the results."""
    return [torch.randn(2, 19, size).to(dtype) for size in (TERMS, COLUMNS)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])
@pytest.mark.parametrize("name", VALUES)
def test_values(name: str, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    inputs = numbers(dtype)
    program, model = compiled(name, dtype, inputs)
    # The cast of a sum of bfloat16 is computed where it is read, so its readers are one.
    wanted = 2 if (name, dtype) == ("two_readers", torch.bfloat16) else VALUES[name][2]
    assert program.ir("triton-source").count("@triton.jit") == wanted
    with torch.no_grad():
        plain = model(*inputs)
        exact = model.double()(*map(doubled, inputs))
        moved = [model(*map(rounded, inputs)) for _ in range(ROUNDINGS)]
    for found in zip(program(*inputs), plain, exact, *moved, strict=True):
        assert_as_accurate(*found)


def test_rows_that_are_not_finite_stay_apart() -> None:
    """A NaN or an infinity reaches the results of its own row alone."""
    torch.manual_seed(0)
    inputs = numbers(torch.float32)
    x = inputs[0]
    x[0, 3, 5], x[1, 2, 1000] = float("nan"), float("inf")
    program, model = compiled("sum_is_read", torch.float32, inputs)
    with torch.no_grad():
        exact = model.double()(*map(doubled, inputs))
    for got, wanted in zip(program(*inputs), exact, strict=True):
        torch.testing.assert_close(
            got.double(), wanted, equal_nan=True, rtol=1e-4, atol=1e-4
        )


def test_each_part_is_read_once() -> None:
    inputs = numbers(torch.bfloat16)
    program, _ = compiled("sum_is_read", torch.bfloat16, inputs)
    with counting() as counted:
        program(*inputs)
    (rows,) = (k for name, k in counted.kernels.items() if name.endswith("_rows"))
    parts = rows.loads[0]
    # Rows begin and end within sectors that their neighbours read too.
    assert parts.sectors < 1.2 * parts.distinct_sectors
    # The norm and the sum, but not the sum in float32.
    sizes = [stored.distinct_bytes for stored in rows.stores if stored.sectors]
    assert sizes == [2 * 38 * COLUMNS] * 2


@pytest.mark.parametrize(
    ("sizes", "shape", "loops"),
    [
        ((6, 8), (6, 8), [[0], [1]]),
        ((6, 8), (3, 2, 8), [[0, 1], [2]]),
        ((6, 8), (1, 6, 8, 1), [[0, 1], [2, 3]]),
        ((1, 6), (6,), [[], [0]]),
        ((6, 8), (12, 4), None),
        ((6, 8), (6, 4), None),
        ((6, 8), (6, 8, 2), None),
        ((), (), None),
    ],
)
def test_loops_of_rows(
    sizes: tuple[int, ...], shape: tuple[int, ...], loops: list[list[int]] | None
) -> None:
    assert loops_within(sizes, shape) == loops
