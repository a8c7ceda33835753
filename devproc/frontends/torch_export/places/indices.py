"""Index tensors as `nn.gather` and `nn.scatter` take them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.base import broadcast_shapes
from devproc.frontends.torch_export.elementwise.value_checks import check_index
from devproc.frontends.torch_export.graph.builder import GraphBuilder, shape_of, size_of
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.frontends.torch_export.places.pieces import expanded
from devproc.ir.types import DTYPES, is_bool, tensor_of

INT32, INT64 = DTYPES["int32"], DTYPES["int64"]

DATA_DEPENDENT = Refusal(
    "a bool or uint8 mask as an index gives a number of elements that depends on the data",
    "use torch.where, which keeps the shape, or select outside of the compiled program",
)


def is_mask(index: SSAValue | None) -> bool:
    """Whether an index is a mask: of bools or, as PyTorch still accepts, of bytes."""
    if index is None:
        return False
    element = tensor_of(index).element_type
    return is_bool(element) or element == DTYPES["uint8"]


def check_places(
    b: GraphBuilder, x: SSAValue, indices: Sequence[SSAValue | None]
) -> None:
    """Checks the indices of `x[i, :, j]`, except masks."""
    for index, size in zip(indices, shape_of(x), strict=False):
        if index is not None and not is_mask(index):
            check_index(b, index, size, wraps=True)


def as_index(b: GraphBuilder, index: SSAValue) -> SSAValue:
    """An index tensor in a dtype that `nn.gather` accepts; raises Refusal for a mask."""
    element = tensor_of(index).element_type
    if is_mask(index):
        raise DATA_DEPENDENT
    return index if element in (INT32, INT64) else b.cast(index, INT64)


def line(b: GraphBuilder, index: SSAValue, axis: int, rank: int) -> SSAValue:
    """The elements of an index tensor as a vector along an axis."""
    shape = [size_of(index) if d == axis else 1 for d in range(rank)]
    return b.reshape(as_index(b, index), shape)


def constant_line(
    b: GraphBuilder, values: torch.Tensor, axis: int, rank: int
) -> SSAValue:
    """Constant indices as a vector along an axis."""
    shape = [-1 if d == axis else 1 for d in range(rank)]
    return b.constant(values.reshape(shape), f"constant.{b.node_name}.{axis}")


class Places:
    """The indexed axes of `x[i, :, j]`, which `moved` puts next to each other, and their flat
    indices.
    """

    def __init__(
        self, b: GraphBuilder, x: SSAValue, indices: Sequence[SSAValue | None]
    ):
        self.builder, self.operand = b, x
        rank = len(shape_of(x))
        self.axes = [d for d, index in enumerate(indices) if index is not None]
        self.first = self.axes[0]
        self.are_together = self.axes[-1] - self.first + 1 == len(self.axes)
        self.order = list(range(rank))
        if not self.are_together:
            rest = [d for d in range(rank) if d not in self.axes]
            self.order, self.first = [*self.axes, *rest], 0
        self.sizes = [shape_of(x)[axis] for axis in self.axes]
        given = [as_index(b, i) for i in indices if i is not None]
        self.shape = broadcast_shapes([shape_of(i) for i in given])
        flat = [prod(self.shape)]
        self.lines = [b.reshape(expanded(b, i, self.shape), flat) for i in given]

    def moved(self) -> SSAValue:
        """The tensor with its indexed axes next to each other."""
        return self.builder.transpose(self.operand, self.order)

    def back(self, b: GraphBuilder, value: SSAValue) -> SSAValue:
        """A value of the moved shape with the axes in their original order."""
        inverse = [self.order.index(d) for d in range(len(self.order))]
        return b.transpose(value, inverse)
