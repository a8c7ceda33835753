"""Products of int8 against NumPy's int64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from devproc.quantized import conv2d, linear, matmul
from tests.quantized.references import Array, check, convolution, int8s

TARGETS = ("cpu", "cuda:interpret")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("x", "weight", "stride", "padding", "dilation", "groups"),
    [
        ((2, 3, 9, 11), (5, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
        ((3, 5, 10, 7), (7, 5, 3, 2), (2, 3), (2, 0), (2, 1), 1),
        ((2, 6, 7, 9), (9, 2, 3, 3), (2, 1), (1, 1), (1, 1), 3),
        ((2, 7, 8, 5), (7, 1, 3, 3), (1, 2), (1, 1), (1, 1), 7),
        ((2, 33, 5, 6), (34, 33, 1, 1), (1, 1), (0, 0), (1, 1), 1),
        ((0, 3, 4, 4), (2, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ],
)
def test_conv2d(
    x: tuple[int, ...],
    weight: tuple[int, ...],
    stride: tuple[int, int],
    padding: tuple[int, int],
    dilation: tuple[int, int],
    groups: int,
    target: str,
) -> None:
    image, filters = int8s(*x), int8s(*weight, seed=1)
    wanted = convolution(image, filters, stride, padding, dilation, groups)

    def function(a: Tensor, b: Tensor) -> Tensor:
        return conv2d(a, b, stride, padding, dilation, groups)

    check(function, wanted, image, filters, target=target)


def product(x: Array, y: Array) -> Array:
    return np.matmul(x.astype(np.int64), y.astype(np.int64)).astype(np.int32)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("x", "weight"),
    [
        ((3, 5, 37), (19, 37)),
        ((1, 64), (48, 64)),
        ((7, 130), (65, 130)),
        ((2, 0), (3, 0)),
    ],
)
def test_linear(x: tuple[int, ...], weight: tuple[int, ...], target: str) -> None:
    rows, matrix = int8s(*x), int8s(*weight, seed=1)
    check(linear, product(rows, matrix.T), rows, matrix, target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3, 5, 7), (3, 7, 9)),
        ((2, 1, 17, 33), (3, 33, 21)),
        ((4, 66), (66, 35)),
        ((2, 3, 1, 40), (2, 3, 40, 5)),
        ((2, 0, 5), (2, 5, 3)),
    ],
)
def test_matmul(a: tuple[int, ...], b: tuple[int, ...], target: str) -> None:
    left, right = int8s(*a), int8s(*b, seed=1)
    check(matmul, product(left, right), left, right, target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_strided_operands(target: str) -> None:
    left, right = int8s(3, 15, 8), int8s(3, 15, 9, seed=1)
    wanted = product(left[:, ::2].transpose(0, 2, 1), right[:, ::2, 1::3])

    def function(a: Tensor, b: Tensor) -> Tensor:
        return matmul(a[:, ::2].mT, b[:, ::2, 1::3])

    check(function, wanted, left, right, target=target)


def test_constant_weight_is_packed() -> None:
    """The weight of a layer is part of the program, with the bias and what follows."""
    x, matrix = int8s(5, 67), int8s(37, 67, seed=1)
    bias = np.arange(37, dtype=np.int32) * 1001
    weight, offsets = torch.from_numpy(matrix), torch.from_numpy(bias)
    wanted = np.maximum(product(x, matrix.T) + bias, 0)
    check(lambda rows: torch.relu(linear(rows, weight) + offsets), wanted, x)


def test_sums_wrap() -> None:
    """140000 products of -128 and -128 exceed int32."""
    x = np.full((2, 140_000), -128, np.int8)
    y = np.full((3, 140_000), -128, np.int8)
    y[1] = 127
    check(linear, product(x, y.T), x, y)


def test_products_of_pytorch_keep_int8() -> None:
    """`aten.matmul` of int8 is int8, whose sums wrap."""
    x, y = int8s(3, 5, 37), int8s(37, 9, seed=1)
    check(torch.matmul, product(x, y).astype(np.int8), x, y)
    bias = int8s(9, seed=2)
    check(torch.addmm, (bias + product(x[0], y)).astype(np.int8), bias, x[0], y)


def test_other_dtypes_are_refused() -> None:
    with pytest.raises(TypeError, match=r"int8 tensors, got torch\.int32"):
        matmul(torch.ones(2, 2, dtype=torch.int32), torch.ones(2, 2, dtype=torch.int8))
