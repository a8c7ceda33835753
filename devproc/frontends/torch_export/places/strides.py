"""`as_strided`: reads and writes at places in memory; rows of `gather`.

A value has no memory here. Where eager PyTorch's operand fills its memory without gaps,
the places are those of its elements in the order of its strides; otherwise the operator
sees what no value holds, and is refused.
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
    """The dimensions of the first operand from the largest stride to the smallest."""
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
    """Where in memory each element of the view lies."""
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
    places = _places(x, size, stride, offset)
    if not places.numel():
        return b.fill(0)
    memory = b.transpose(x, _memory_order(b))
    if torch.equal(places.flatten(), torch.arange(size_of(x))):
        return b.reshape(memory, size)
    index = b.constant(places.flatten(), f"constant.{b.node_name}")
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
    places = _places(x, size, stride, offset)
    if not places.numel():
        return x
    order = _memory_order(b)
    memory = b.transpose(x, order)
    index = b.constant(places.flatten(), f"constant.{b.node_name}")
    updates = b.reshape(b.cast(source, tensor_of(x).element_type), [places.numel()])
    line = b.reshape(memory, [size_of(x)])
    written = b.emit(ScatterOp.into(line, index, updates, 0))
    back = [order.index(d) for d in range(len(order))]
    return b.transpose(b.reshape(written, shape_of(memory)), back)


_STRIDED = ImportRule(_as_strided, (GatherOp, ReshapeOp))

ROWS: dict[str, ImportRule] = {
    "aten.as_strided.default": _STRIDED,
    "aten.as_strided_copy.default": _STRIDED,
    "aten.as_strided_scatter.default": ImportRule(_as_strided_scatter, (ScatterOp,)),
}
"""ATen overload -> how to build it."""
