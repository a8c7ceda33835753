"""Programs that mostly move elements, and pick the first of them, as PyTorch does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import devproc

NAN, INF = float("nan"), float("inf")


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(*inputs)


def both(
    function: Callable[..., Any], *inputs: Tensor, threads: int = 2
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """What the compiled function gives, and what PyTorch gives."""
    program = devproc.compile(
        torch.export.export(Function(function), inputs), threads=threads, cache=False
    )
    found, wanted = program(*(i.numpy() for i in inputs)), function(*inputs)
    if isinstance(wanted, Tensor):
        found, wanted = [found], [wanted]
    return [np.asarray(v) for v in found], [v.numpy() for v in wanted]


def same(function: Callable[..., Any], *inputs: Tensor) -> None:
    """Both give the same elements, NaN where the other has it."""
    for found, wanted in zip(*both(function, *inputs), strict=True):
        np.testing.assert_array_equal(found, wanted)


def numbers(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Random numbers of a dtype."""
    torch.manual_seed(sum(shape))
    if dtype == torch.bool:
        return torch.rand(shape) > 0.5
    if dtype.is_floating_point:
        return torch.randn(shape).to(dtype)
    return torch.randint(0, 100, shape, dtype=dtype)


DTYPES = [torch.float32, torch.float64, torch.float16, torch.int64, torch.uint8]


@pytest.mark.parametrize("dtype", [*DTYPES, torch.bool])
def test_concat(dtype: torch.dtype) -> None:
    parts = [numbers(3, size, 19, dtype=dtype) for size in (5, 1, 0, 17)]
    same(lambda *x: torch.cat(x, 1), *parts)
    parts = [numbers(7, 3, size, dtype=dtype) for size in (33, 0, 1, 20)]
    same(lambda *x: torch.cat(x, -1), *parts)


def test_concat_amid_arithmetic() -> None:
    def rotate(x: Tensor, c: Tensor, s: Tensor) -> Tensor:
        x = x.view(2, 9, 4, 38).transpose(1, 2)
        half = torch.cat([-x[..., 19:], x[..., :19]], -1)
        return x * c + half * s

    same(rotate, numbers(2, 9, 152), numbers(9, 38), numbers(1, 9, 38) * 2)
    # Two concatenations of one tensor, one of them transposed, and a sum of both.
    same(
        lambda x, y: torch.cat([x, y], 0) + torch.cat([y, x], 0).flip(1).t(),
        numbers(11, 22), numbers(11, 22),
    )  # fmt: skip


def test_stack_and_roll() -> None:
    same(lambda x, y: torch.stack([x, y], -1) * 2, numbers(5, 23), numbers(5, 23))
    same(lambda x: torch.roll(x, (-3, 2), (1, 2)) + 1, numbers(2, 9, 11, 5))


@pytest.mark.parametrize("mode", ["reflect", "circular", "replicate"])
def test_padded_by_its_own_elements(mode: str) -> None:
    same(lambda x: F.pad(x, (2, 3, 1, 0), mode) * 2, numbers(2, 3, 7, 18))


SHAPES = [(1, 40), (3, 21), (16, 16), (17, 65), (129, 5)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_transpose(shape: tuple[int, int], dtype: torch.dtype) -> None:
    same(lambda x, y: x.t() + y, numbers(*shape, dtype=dtype), numbers(1, dtype=dtype))


def test_permutations() -> None:
    x = numbers(3, 17, 5, 36)
    same(lambda x: [x.permute(order) * 2 for order in ((0, 2, 3, 1), (3, 1, 0, 2))], x)
    same(lambda x, y: x.transpose(1, 3) + y, x, numbers(3, 36, 5, 17))


def test_transposed_amid_functions() -> None:
    x, y = numbers(37, 50), numbers(50, 37)
    (found,), (wanted,) = both(lambda x, y: F.gelu(x.t()) * torch.sigmoid(y), x, y)
    np.testing.assert_allclose(found, wanted, rtol=2e-6, atol=2e-7)


SPECIAL = torch.tensor(
    [
        *(NAN, INF, -INF, 0.0, -0.0, 1e-40, -1e-40, 1e-8, 0.5, -0.5, 4.0, -4.0),
        *(5.6, -5.6, 88.0, -88.0, 89.0, -89.0, 100.0, -100.0, 1e30, -1e30),
    ]
)


@pytest.mark.parametrize(
    "function",
    [
        *(F.gelu, F.silu, torch.sigmoid, torch.tanh, F.mish),
        lambda x: 1 + torch.erf(x),
        lambda x: 1 / (1 + torch.exp(x)),
    ],
    ids=["gelu", "silu", "sigmoid", "tanh", "mish", "erf + 1", "1 / (1 + exp)"],
)
def test_functions_beside_one(function: Callable[[Tensor], Tensor]) -> None:
    x = torch.cat([SPECIAL, torch.linspace(-20, 20, 2000)])
    if function is F.gelu:
        x = x[~x.isinf()]  # PyTorch's vectors give NaN there, its numbers infinity.
    (found,), (wanted,) = both(function, x)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(wanted))
    finite = np.isfinite(wanted)
    exact = function(x.double()).numpy()[finite]
    # The error counts against 1, and then against what the function multiplies it with.
    error = np.abs(found[finite] - exact)
    np.testing.assert_array_less(error, 2e-7 * np.maximum(np.abs(x.numpy()[finite]), 1))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [1, 5, 64, 65, 90])
def test_first_of_a_row(k: int, largest: bool) -> None:
    x = numbers(7, 90)
    x[0, 3], x[1, :60], x[2, 5:] = NAN, INF, -INF
    found, wanted = both(lambda x: torch.topk(x, k, -1, largest), x)
    np.testing.assert_array_equal(found[0], wanted[0])
    # Which of several equal ones is not specified: the first ones here, each once.
    order = torch.sort(x, dim=-1, descending=largest, stable=True)
    np.testing.assert_array_equal(found[1], order.indices[:, :k].numpy())


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool])
def test_first_of_integers(dtype: torch.dtype) -> None:
    x = numbers(3, 5, 40, dtype=dtype)
    found, wanted = both(lambda x: torch.sort(x, dim=1, stable=True)[0][:, 1:3], x)
    np.testing.assert_array_equal(found[0], wanted[0])


def test_one_vector_for_each_matrix() -> None:
    matrices, index = numbers(6, 37, 130), torch.tensor([5, 0, 0, -1, 3])
    vectors = numbers(5, 130, 1)

    def chosen(m: Tensor, i: Tensor, v: Tensor) -> Tensor:
        return torch.bmm(m[i], v).squeeze(-1)

    (found,), _ = both(chosen, matrices, index, vectors)
    exact = chosen(matrices.double(), index, vectors.double()).numpy()
    np.testing.assert_allclose(found, exact, atol=2e-5)
    rows = numbers(5, 1, 37)
    (found,), _ = both(lambda r, m, i: torch.bmm(r, m[i]), rows, matrices, index)
    exact = torch.bmm(rows.double(), matrices.double()[index]).numpy()
    np.testing.assert_allclose(found, exact, atol=2e-5)
    (found,), _ = both(lambda a, b: (a * b).sum(-1), matrices, matrices.flip(0))
    exact = (matrices.double() * matrices.flip(0).double()).sum(-1).numpy()
    np.testing.assert_allclose(found, exact, atol=2e-5)


@pytest.mark.parametrize(
    "shapes",
    [((37, 130), (130,)), ((130,), (130, 37)), ((5, 9, 130), (130, 1)), ((7,), (7,))],
)
def test_a_matrix_is_packed_only_before_the_call(
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    """One that meets one vector would be read number by number in a contraction."""
    left, right = (numbers(*shape) for shape in shapes)
    function = Function(lambda a, b: torch.matmul(a, b))
    exported = torch.export.export(function, (left, right))
    program = devproc.compile(exported, cache=False)
    (kernel,) = program.report().kernels.rows
    assert kernel.family == "reduction"
    exact = torch.matmul(left.double(), right.double())
    np.testing.assert_allclose(program(left, right), exact, atol=2e-5)
    layer, x = nn.Linear(130, 37), numbers(1, 130)
    program = devproc.compile(torch.export.export(layer, (x,)), cache=False)
    (kernel,) = program.report().kernels.rows
    assert kernel.family == "contraction"
    torch.testing.assert_close(program(x), layer(x))


def test_windows_larger_than_the_image() -> None:
    x = numbers(2, 3, 7, 9)
    (found,), (wanted,) = both(lambda x: F.avg_pool2d(x, 100, ceil_mode=True), x)
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    window = ((3, 60), (2, 60), (1, 4))
    same(lambda x: F.max_pool2d(x, *window, ceil_mode=True), x)
    (found,), (wanted,) = both(lambda x: F.avg_pool2d(x, *window, True, False), x)
    np.testing.assert_allclose(found, wanted, atol=1e-6)
