"""`as_strided`: reads and writes at memory offsets; rows of `gather`.

Values have no memory here. Where the operand of eager PyTorch is dense, offsets are
positions of its elements in stride order; otherwise the operator would see memory that
no value describes, and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.gather import GatherOp, ScatterOp
from devproc.dialects.nn.shape import ReshapeOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    rows_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.ir.types import tensor_of

NOT_DENSE = Refusal(
    "as_strided reads memory that its operand does not show",
    "use slices, permute or unfold, which say what they read",
)


def _memory_order(b: GraphBuilder) -> list[int]:
    """The dimensions of the first operand by decreasing stride."""
    source = b.operands[0]
    if not isinstance(source, torch.Tensor) or source.storage_offset():
        raise NOT_DENSE
    strides, sizes = source.stride(), source.shape
    order = sorted(range(source.dim()), key=lambda d: (-strides[d], -sizes[d], d))
    dense = 1
    for d in reversed(order):
        if sizes[d] > 1 and strides[d] != dense:
            raise NOT_DENSE
        dense *= max(sizes[d], 1)
    return order


def _places(
    x: SSAValue, size: Sequence[int], stride: Sequence[int], offset: int | None
) -> torch.Tensor:
    """The memory offset of each element of the view."""
    places = torch.tensor(offset or 0)
    for count, by in zip(size, stride, strict=True):
        places = places[..., None] + torch.arange(count) * by
    if places.numel() and int(places.max()) >= size_of(x):
        raise NOT_DENSE
    return places


def _as_strided(
    b: GraphBuilder,
    x: SSAValue,
    size: Sequence[int],
    stride: Sequence[int],
    offset: int | None = None,
) -> SSAValue:
    places = _places(x, size, stride, offset).flatten()
    if not places.numel():
        return b.fill(0)
    memory = b.transpose(x, _memory_order(b))
    if torch.equal(places, torch.arange(size_of(x))):
        return b.reshape(memory, size)
    index = b.constant(places, f"constant.{b.node_name}")
    line = b.reshape(memory, [size_of(x)])
    return b.reshape(b.emit(GatherOp.at(line, [index], [0])), size)


def _as_strided_scatter(
    b: GraphBuilder,
    x: SSAValue,
    source: SSAValue,
    size: Sequence[int],
    stride: Sequence[int],
    offset: int | None = None,
) -> SSAValue:
    """The tensor with the elements of the view replaced."""
    places = _places(x, size, stride, offset).flatten()
    if not places.numel():
        return x
    order = _memory_order(b)
    memory = b.transpose(x, order)
    index = b.constant(places, f"constant.{b.node_name}")
    updates = b.reshape(b.cast(source, tensor_of(x).element_type), [places.numel()])
    line = b.reshape(memory, [size_of(x)])
    written = b.emit(ScatterOp.into(line, index, updates, 0))
    back = [order.index(d) for d in range(len(order))]
    return b.transpose(b.reshape(written, shape_of(memory)), back)


ROWS: dict[str, ImportRule] = {
    **rows_of(
        ImportRule(_as_strided, (GatherOp, ReshapeOp)), "as_strided as_strided_copy"
    ),
    "aten.as_strided_scatter.default": ImportRule(_as_strided_scatter, (ScatterOp,)),
}
"""ATen overload -> import rule."""
