"""Distances and matrix norms; rows of `reduction`.

Composite operators are traced; `cdist` and `pdist`, which PyTorch has only in C++, are
functions of PyTorch tensors (see `composites`).
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import torch
from torch import Tensor

from devproc.frontends.torch_export.graph.builder import ImportRule
from devproc.frontends.torch_export.graph.composites import composed_of, traced


def _norm(x: Tensor, p: float) -> Tensor:
    """The norm along the last dimension; 0 where that is empty."""
    if x.numel() == 0:
        return x.new_zeros(x.shape[:-1])
    return torch.linalg.vector_norm(x, p, -1)


def cdist(x: Tensor, y: Tensor, p: float, mode: int | None) -> Tensor:
    """The distance of each row of x to each row of y, for any p.

    PyTorch's matrix product for many rows is not used: it suffers from cancellation where
    rows are close to each other.
    """
    return _norm(x.unsqueeze(-2) - y.unsqueeze(-3), p)


def pdist(x: Tensor, p: float = 2) -> Tensor:
    """The distances of all pairs of rows, as the upper triangle of a matrix."""
    first, second = torch.triu_indices(x.shape[0], x.shape[0], 1)
    return _norm(x[first] - x[second], p)


DISTANCES: dict[str, ImportRule] = {
    **traced(
        "cdist cosine_similarity dist frobenius_norm.dim linalg_matrix_norm "
        "linalg_matrix_norm.str_ord linalg_norm linalg_norm.ord_str "
        "native_norm.ScalarOpt_dim_dtype native_norm norm.ScalarOpt_dtype "
        "norm_except_dim nuclear_norm nuclear_norm.dim pairwise_distance renorm",
    ),
    "aten._cdist_forward.default": composed_of(cdist),
    "aten._pdist_forward.default": composed_of(pdist),
    "aten.pdist.default": composed_of(pdist),
}
"""ATen overload -> import rule."""
