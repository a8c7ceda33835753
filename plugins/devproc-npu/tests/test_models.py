"""Models in the operators of `devproc.quantized`, bit for bit against their eager run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch
import torch.nn.functional as F
from regions import Run, run_model
from torch import Tensor, nn

from devproc.quantized import conv2d, linear, matmul, rescale, scale_of

pytestmark = pytest.mark.usefixtures("npu")


class Model(nn.Module):
    """A function of tensors and of weights."""

    def __init__(self, function: Callable, weights: Sequence[Tensor] = ()) -> None:
        super().__init__()
        self.function, self.count = function, len(weights)
        for number, weight in enumerate(weights):
            self.register_buffer(f"w{number}", weight)

    def forward(self, *x: Tensor):
        weights = [getattr(self, f"w{number}") for number in range(self.count)]
        return self.function(*x, *weights)


def int8(*shape: int) -> Tensor:
    """Random, with the extremes."""
    x = torch.randint(-128, 128, shape, dtype=torch.int8)
    x.flatten()[:1], x.flatten()[-1:] = -128, 127
    return x


def check(
    function: Callable, inputs: Sequence[Tensor], weights: Sequence[Tensor] = ()
) -> Run:
    """Run on the NPU and eagerly; all results must be the same."""
    model = Model(function, weights)
    run = run_model(model, inputs)
    wanted = model(*inputs)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for got, want in zip(run.results, wanted, strict=True):
        assert torch.equal(got, want)
    return run


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(29)


def scales(count: int) -> tuple[list[int], list[int]]:
    pairs = [scale_of(f) for f in torch.rand(count).mul(1e-3).add(1e-5).tolist()]
    return [m for m, _ in pairs], [s for _, s in pairs]


@pytest.mark.parametrize(("m", "k", "n"), [(1, 1, 1), (37, 40, 50), (130, 100, 19)])
def test_linear_sums(m: int, k: int, n: int) -> None:
    """int32 sums leave as they are."""
    bias = torch.randint(-(2**31), 2**31 - 1, (n,), dtype=torch.int32)
    run = check(lambda x, w, b: linear(x, w) + b, [int8(3, m, k)], [int8(n, k), bias])
    assert run.report.multiplications == 3 * m * k * n


def test_linear_rescaled_by_channel() -> None:
    by_channel = scales(33)
    check(
        lambda x, w: rescale(linear(x, w), *by_channel, -1).clamp(-100, 90),
        [int8(2, 5, 70)],
        [int8(33, 70)],
    )


def test_attention() -> None:
    """Products of heads, the right operand transposed and not."""
    first, second = scales(1), scales(1)

    def attend(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        q, k, v = (x.unflatten(-1, (3, -1)).transpose(1, 2) for x in (q, k, v))
        scores = matmul(q, k.mT)
        p = rescale(scores, *first)
        return scores, rescale(matmul(p, v), *second).transpose(1, 2).flatten(2)

    with pytest.raises(Exception, match="read elsewhere"):
        check(attend, [int8(2, 21, 51) for _ in range(3)])
    check(lambda *x: attend(*x)[1], [int8(2, 21, 51) for _ in range(3)])
    check(lambda *x: attend(*x)[0], [int8(2, 21, 51) for _ in range(3)])


def test_matmul_of_one_right_operand() -> None:
    check(matmul, [int8(2, 3, 9, 20), int8(20, 17)])


def residual(x: Tensor, y: Tensor) -> Tensor:
    """The sum of two tensors of different scales."""
    both = rescale(x, *scale(0.37 * 65536), dtype=torch.int32)
    both = both + rescale(y, *scale(1.21 * 65536), dtype=torch.int32)
    return torch.relu(rescale(both, *scale(1 / 65536)))


def scale(factor: float) -> tuple[list[int], list[int]]:
    multiplier, shift = scale_of(factor)
    return [multiplier], [shift]


@pytest.mark.parametrize("shape", [(1,), (3, 7, 5), (2, 9, 130, 131)])
def test_residual(shape: tuple[int, ...]) -> None:
    check(residual, [int8(*shape), int8(*shape)])


def test_sum_whose_terms_overflow() -> None:
    """Terms are clamped to int32, and their sum wraps."""
    big = [2**31 - 1], [3]

    def add(x: Tensor, y: Tensor) -> Tensor:
        both = rescale(x, *big, dtype=torch.int32) + rescale(y, *big, dtype=torch.int32)
        return rescale(both, *scale(2.0**-25))

    check(add, [int8(5, 50), int8(5, 50)])


@pytest.mark.parametrize(
    "function",
    [
        torch.relu,
        lambda x: x.clamp(-3, 50),
        lambda x: rescale(x, *scale(1.7)),
        lambda x: torch.relu(rescale(x, *scale(0.01))),
        lambda x: x.transpose(0, 1).reshape(4, -1),
        lambda x: torch.relu(x.permute(2, 0, 1)),
    ],
)
def test_one_tensor(function: Callable) -> None:
    check(function, [int8(6, 10, 11)])


@pytest.mark.parametrize(
    ("shape", "kernel", "stride", "padding"),
    [
        ((2, 5, 9, 11), 3, 2, 1),
        ((1, 17, 8, 8), 2, 2, 0),
        ((3, 1, 5, 4), (1, 3), 1, (0, 1)),
        ((1, 64, 57, 57), 3, 2, 1),
    ],
)
def test_max_pool(shape: tuple, kernel, stride, padding) -> None:
    check(lambda x: F.max_pool2d(x, kernel, stride, padding), [int8(*shape)])


@pytest.mark.parametrize("shape", [(2, 19, 7, 7), (1, 1, 1, 1), (3, 512, 5, 3)])
def test_mean(shape: tuple[int, ...]) -> None:
    factor = 1 / (shape[2] * shape[3])
    check(
        lambda x: rescale(x.sum((2, 3), dtype=torch.int32), *scale(factor)),
        [int8(*shape)],
    )


def test_block() -> None:
    """A residual block: borders in place, images with their channels last throughout."""
    first, second = scales(20), scales(20)

    def block(x: Tensor, a: Tensor, b: Tensor, bias: Tensor) -> Tensor:
        y = torch.relu(rescale(conv2d(x, a, padding=1) + bias, *first, 1))
        y = rescale(conv2d(y, b, padding=1) + bias, *second, 1)
        return F.max_pool2d(residual(y, x), 3, 2, 1)

    bias = torch.randint(-9999, 9999, (20, 1, 1), dtype=torch.int32)
    x, weights = int8(2, 20, 13, 10), [int8(20, 20, 3, 3) for _ in range(2)]
    run = check(block, [x], [*weights, bias])
    assert run.report.moved["external"] == run.estimate.moved["external"]


def test_results_that_are_operands_and_one_another() -> None:
    def copies(x: Tensor) -> tuple[Tensor, ...]:
        y = torch.relu(x)
        return x.reshape(-1), y, y.reshape(6, -1), y.transpose(0, 1)

    check(copies, [int8(3, 10)])
