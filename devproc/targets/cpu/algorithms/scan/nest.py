"""A scan with its dimensions merged: those before the axis, the axis, those after
it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Attribute

from devproc.algorithms.single_op import SingleOp, match_each
from devproc.dialects.linalg_ext.scan import ScanOp
from devproc.targets.cpu.transforms.loops.vector_types import memref_of


class ScanNest(SingleOp[ScanOp]):
    """A scan over (before, axis, after)."""

    @property
    def shape(self) -> Sequence[int]:
        """The sizes of the operand."""
        return memref_of(self.op.operand).get_shape()

    @property
    def before(self) -> int:
        """The product of the dimensions before the axis; rows if none come after it."""
        return prod(self.shape[: self.op.axis.value.data])

    @property
    def size(self) -> int:
        """Elements along the axis."""
        return self.shape[self.op.axis.value.data]

    @property
    def after(self) -> int:
        """The product of the dimensions after the axis: columns."""
        return prod(self.shape[self.op.axis.value.data + 1 :])

    @property
    def types(self) -> list[Attribute]:
        """The types of the values that are carried along the axis."""
        return [number.type for number in self.op.starts]


match = match_each(ScanOp, ScanNest)
