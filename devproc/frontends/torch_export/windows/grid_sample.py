"""`grid_sample` and `affine_grid`: interpolation at computed positions; rows of `window`."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import WhereOp
from devproc.dialects.nn.contraction import MatmulOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import AddOp, MulOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    rows_of,
    shape_of,
)
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.reference.conversion.tensors import torch_dtype
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expressions
from devproc.transforms.tensor.pipe_to_nn.formulas.sampling import BICUBIC, grid_sample


def _grid_sample(
    b: GraphBuilder,
    x: SSAValue,
    grid: SSAValue,
    mode: int,
    padding: int,
    align_corners: bool,
) -> SSAValue:
    if mode == BICUBIC and len(shape_of(x)) == 5:
        raise Refusal(
            "grid_sample of a volume has no mode 'bicubic'", "use bilinear or nearest"
        )
    if 0 in b.result.get_shape():
        return b.fill(0)
    e = Expressions(b)
    image, places = e.of(x), e.of(grid)
    return grid_sample(e, image, places, mode, padding, bool(align_corners)).ssa


def _affine_grid(
    b: GraphBuilder, theta: SSAValue, size: Sequence[int], align_corners: bool
) -> SSAValue:
    """The positions of all elements, from -1 to 1, transformed by each matrix."""
    dtype, sizes = torch_dtype(b.result.element_type), list(size[2:])
    lines = [_from_minus_one(n, dtype, align_corners) for n in reversed(sizes)]
    rank = len(sizes)
    base = torch.ones([*sizes, rank + 1], dtype=dtype)
    for i, line in enumerate(lines):
        base[..., i] = line.reshape([-1, *[1] * i])
    places = b.constant(base.reshape(-1, rank + 1), f"base_grid.{b.node_name}")
    moved = b.emit(MatmulOp.build_op([places, b.transpose(theta, (0, 2, 1))]))
    return b.reshape(moved, b.result.get_shape())


def _from_minus_one(
    count: int, dtype: torch.dtype, align_corners: bool
) -> torch.Tensor:
    if count <= 1:
        return torch.zeros(1, dtype=dtype)
    line = torch.linspace(-1, 1, count, dtype=dtype)
    return line if align_corners else line * (count - 1) / count


ROWS: dict[str, ImportRule] = {
    "aten.affine_grid_generator.default": ImportRule(_affine_grid, (MatmulOp,)),
    **rows_of(
        ImportRule(_grid_sample, (GatherOp, WhereOp, MulOp, AddOp)),
        "grid_sampler grid_sampler_2d grid_sampler_3d",
    ),
}
"""ATen overload -> import rule."""
