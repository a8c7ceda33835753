"""Large values that one reduction reads are computed in its body, not put into memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import devproc

EXPERTS = torch.randn(5, 37, 331, generator=torch.Generator().manual_seed(7))


class Function(nn.Module):
    """A function of tensors."""

    def __init__(self, function: Callable[..., object]):
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> object:
        return self.function(*inputs)


def experts(x: Tensor, i: Tensor) -> Tensor:
    """Each row times the matrix of its expert."""
    return (EXPERTS[i] @ x.unsqueeze(-1)).squeeze(-1)


def two_readers(x: Tensor) -> tuple[Tensor, Tensor]:
    y = torch.sin(x) * 2
    return y.sum(1), y.amax(1)


def reader_and_result(x: Tensor) -> tuple[Tensor, Tensor]:
    y = torch.sin(x) * 2
    return y.sum(1), y


def spread(x: Tensor) -> Tensor:
    """The mean first, then what it is needed for."""
    return ((x - x.mean(1, keepdim=True)) ** 2).mean(1)


X = (37, 1031)
CASES: dict[str, tuple[Callable[..., object], tuple[int, ...], bool]] = {
    # (function, shape of x, whether nothing as large as x lies in memory)
    "sum": (lambda x: (x.exp() * 3).sum(1), X, True),
    "sum of all": (lambda x: (x * x + 1).sum(), X, True),
    "sum of rows": (lambda x: torch.sigmoid(x).sum(0), X, False),
    "maximum": (lambda x: (x.abs() - 2).amax(1, keepdim=True), X, True),
    "product": (lambda x: (x / 100 + 1).prod(1), X, True),
    "place of the maximum": (lambda x: (x * 2).argmax(1), X, False),
    "transposed": (lambda x: (x.T + 1).exp().sum(0), X, True),
    "broadcast": (lambda x: (x[:, :, None] * x[:, None, :5]).sum(1), (9, 700), False),
    "spread": (spread, X, True),
    "two readers": (two_readers, X, False),
    "reader and result": (reader_and_result, X, False),
    "softmax": (lambda x: torch.softmax(x * 2, 1), X, False),
    "whole numbers": (lambda x: (x * 9).to(torch.int32).sum(1), X, True),
    "joined": (lambda x: torch.cat([x, x * 2, x + 1], 1).mean(1), X, False),
    "stacked": (lambda x: torch.stack([x, x * 2]).amax(0), X, False),
    "turned": (lambda x: x.flip(0).sum(0), X, False),
    "small": (lambda x: (x.exp() * 3).sum(1), (3, 17), False),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", CASES)
def test_equals_pytorch(name: str, threads: int) -> None:
    function, shape, stays_out = CASES[name]
    torch.manual_seed(len(name))
    x = torch.randn(shape)
    model = Function(function)
    program = devproc.compile(
        torch.export.export(model, (x,)), threads=threads, cache=False
    )
    x[0, 1], x[1, 0], x[2, 2] = torch.inf, -0.0, torch.nan
    found, wanted = program(x), model(x)
    for mine, theirs in zip(
        found if isinstance(found, tuple) else (found,),
        wanted if isinstance(wanted, tuple) else (wanted,),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-4, equal_nan=True)
    if stays_out:
        assert program.artifact.host.arenas.get("cpu", 0) < x.nbytes


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_experts(target: str) -> None:
    """No copy of an expert's matrix for each row; negative places count from the end."""
    torch.manual_seed(0)
    x, i = torch.randn(6, 331), torch.tensor([0, 4, -1, -5, 2, 2])
    model = Function(experts)
    exported = torch.export.export(model, (x, i))
    program = devproc.compile(exported, target=target, cache=False)
    wanted = experts_in_double(x, i)
    for _ in range(2):
        np.testing.assert_allclose(program(x, i), wanted, rtol=1e-5, atol=1e-4)
        i = i.flip(0)
        wanted = experts_in_double(x, i)
    if target == "cpu":
        matrices = 6 * EXPERTS[0].nbytes
        assert program.artifact.host.arenas.get("cpu", 0) < matrices
        (kernel,) = program.report().kernels.rows
        assert kernel.family == "reduction"


def test_rows_whose_size_no_operand_gives() -> None:
    """The body reads the table; of the operands, `i` has one of the three loops."""
    i = torch.tensor([0, 4, -1, 2, 2])
    model = Function(lambda i: EXPERTS[i].sin().sum(2))
    exported = torch.export.export(model, (i,))
    program = devproc.compile(exported, cache=False)
    wanted = EXPERTS.double()[i].sin().sum(2)
    np.testing.assert_allclose(program(i), wanted, rtol=1e-5, atol=1e-4)
    (kernel,) = program.report().kernels.rows
    assert kernel.family == "reduction"


def experts_in_double(x: Tensor, i: Tensor) -> Tensor:
    """What comes out, row by row."""
    rows = [
        EXPERTS[int(e)].double() @ row.double() for e, row in zip(i, x, strict=True)
    ]
    return torch.stack(rows)
