"""Products of int8 tensors, summed in int32."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from devproc.quantized.operators import operator


def conv2d(
    x: Tensor,
    weight: Tensor,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    """`torch.nn.functional.conv2d` of int8 images (N, C, H, W) and int8 filters
    (O, C / groups, KH, KW): int32 (N, O, OH, OW).

    Raises TypeError for other dtypes.
    """
    pairs = (_pair(value) for value in (stride, padding, dilation))
    return _conv2d(x, weight, *pairs, groups)


def linear(x: Tensor, weight: Tensor) -> Tensor:
    """`torch.nn.functional.linear` of int8 (..., K) and an int8 weight (N, K): int32
    (..., N). Raises TypeError for other dtypes.
    """
    return _linear(x, weight)


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """`torch.matmul` of int8 (..., M, K) and (..., K, N), whose leading dimensions
    broadcast: int32 (..., M, N). Raises TypeError for other dtypes.
    """
    return _matmul(a, b)


def _pair(value: int | Sequence[int]) -> Sequence[int]:
    return (value, value) if isinstance(value, int) else value


def _product(
    function: Callable[[Tensor, Tensor], Tensor], a: Tensor, b: Tensor
) -> Tensor:
    """The int32 product of int8 tensors; sums wrap.

    Computed in float64, which is exact: a sum of 2**39 products is at most 2**53.
    """
    for value in (a, b):
        if value.dtype != torch.int8:
            raise TypeError(f"an int8 product takes int8 tensors, got {value.dtype}")
    return function(a.double(), b.double()).long().int()


@operator
def _conv2d(
    x: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    def product(a: Tensor, b: Tensor) -> Tensor:
        return F.conv2d(a, b, None, stride, padding, dilation, groups)

    return _product(product, x, weight)


@operator
def _linear(x: Tensor, weight: Tensor) -> Tensor:
    return _product(F.linear, x, weight)


@operator
def _matmul(a: Tensor, b: Tensor) -> Tensor:
    return _product(torch.matmul, a, b)
