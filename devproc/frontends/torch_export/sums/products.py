"""Products beyond the plain matrix product; rows of `contraction`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import torch
from torch import Tensor

from devproc.frontends.torch_export.graph.builder import ImportRule
from devproc.frontends.torch_export.graph.composites import composed_of, traced
from devproc.frontends.torch_export.graph.problems import Refusal


def kron(x: Tensor, y: Tensor) -> Tensor:
    """The Kronecker product: each element of x times all of y, as a block."""
    rank = max(x.dim(), y.dim())
    left = x.reshape([1] * (rank - x.dim()) + list(x.shape))
    right = y.reshape([1] * (rank - y.dim()) + list(y.shape))
    shape = [a * b for a, b in zip(left.shape, right.shape, strict=True)]
    for axis in range(rank):
        left, right = left.unsqueeze(2 * axis + 1), right.unsqueeze(2 * axis)
    return (left * right).reshape(shape)


def trilinear(
    x: Tensor,
    y: Tensor,
    z: Tensor,
    new_x: Sequence[int],
    new_y: Sequence[int],
    new_z: Sequence[int],
    summed: Sequence[int],
    unroll: int = 1,
) -> Tensor:
    """The product of three tensors, each with new dimensions, summed over some."""
    x, y, z = (
        reduce(Tensor.unsqueeze, axes, tensor)
        for tensor, axes in ((x, new_x), (y, new_y), (z, new_z))
    )
    return (x * y * z).sum(list(summed)) if summed else x * y * z


def bilinear(x: Tensor, y: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x @ weight[k] @ y for each k, as two matrix products; PyTorch sums products."""
    rows, columns = x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1])
    outputs, inner, last = weight.shape
    flat = weight.permute(1, 0, 2).reshape(inner, outputs * last)
    halves = (rows @ flat).reshape(-1, outputs, last)
    value = (halves @ columns.unsqueeze(-1)).reshape([*x.shape[:-1], outputs])
    return value if bias is None else value + bias


def grouped(
    x: Tensor,
    matrices: Tensor,
    ends: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: torch.dtype | None = None,
) -> Tensor:
    """Each row of x (S, K) times the matrix (E, K, N) of its group: those of matrix e end
    before row `ends[e]`. Rows after the last group are zero.
    """
    if x.dim() != 2 or matrices.dim() != 3 or ends is None:
        raise Refusal(
            "groups are supported of the rows of x (S, K) for matrices (E, K, N)",
            "give x two dimensions, the matrices three, and the ends of the groups",
        )
    rows = torch.arange(x.shape[0], device=x.device)
    group = (rows[:, None] >= ends).sum(1)
    count = matrices.shape[0]
    # (E, N, K), in which transformers stores them, so that terms are adjacent.
    chosen = matrices.transpose(1, 2)[group.clamp(max=count - 1)]
    product = torch.bmm(chosen, x.unsqueeze(-1)).squeeze(-1)
    if bias is not None:
        product = product + bias
    product = torch.where((group < count)[:, None], product, 0)
    return product if out_dtype is None else product.to(out_dtype)


PRODUCTS: dict[str, ImportRule] = {
    **traced(
        "chain_matmul cross ger inner linalg_cross linalg_matmul "
        "linalg_matrix_power linalg_multi_dot linalg_vander linalg_vecdot "
        "matrix_power tensordot vander",
    ),
    "aten._trilinear.default": composed_of(trilinear),
    "aten._grouped_mm.default": composed_of(grouped),
    "aten.bilinear.default": composed_of(bilinear),
    "aten.kron.default": composed_of(kron),
    # The experts of transformers, exported in float32.
    "transformers.grouped_mm_fallback.default": composed_of(grouped),
}
"""Overload -> import rule."""
