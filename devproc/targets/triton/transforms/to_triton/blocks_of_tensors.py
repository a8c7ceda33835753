"""Reads blocks of tensors by descriptors; see `dialect/descriptors.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, i32, i64
from xdsl.ir import SSAValue

from devproc.ir.types import item_size
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.dialect import block_of, element_of
from devproc.targets.triton.dialect.descriptors import (
    DESCRIPTOR_BYTES,
    MOST_DIMENSIONS,
    box_problem,
    strides_problem,
)
from devproc.targets.triton.transforms.to_triton.builder import Value
from devproc.targets.triton.transforms.to_triton.generic import memref_of
from devproc.targets.triton.transforms.to_triton.kernel import Kernel


@dataclass(frozen=True)
class Coordinate:
    """One dimension of a descriptor."""

    extent: int
    stride: int
    """In elements."""
    block: int
    """The positions of one block."""


@dataclass(frozen=True)
class Described:
    """A memref as a tensor whose last dimension is contiguous."""

    root: SSAValue
    offset: int
    """Of its first element in the memref."""
    coordinates: Sequence[Coordinate]

    @property
    def problem(self) -> str | None:
        """Why no descriptor can read it; None if one can."""
        element = memref_of(self.root).element_type
        if len(self.coordinates) > MOST_DIMENSIONS:
            return f"a factor has more than {MOST_DIMENSIONS} strides"
        if self.offset * item_size(element) % DESCRIPTOR_BYTES:
            return "a factor does not begin at a multiple of 16 bytes"
        strides = [c.stride for c in self.coordinates]
        block = tuple(c.block for c in self.coordinates)
        return strides_problem(element, strides) or box_problem(element, block)

    def load(
        self, kernel: Kernel, indices: Sequence[Value], shape: tuple[int, int]
    ) -> SSAValue:
        """The block from these indices on, in a shape of two dimensions."""
        b, pointer = kernel.builder, kernel.pointers[self.root]
        element = cast(triton.PtrType, pointer.type).pointee
        block = block_of(element, tuple(c.block for c in self.coordinates))
        sizes = {
            "shape": [c.extent for c in self.coordinates],
            "strides": [c.stride for c in self.coordinates],
        }
        descriptor = b.pure(
            triton.MakeDescriptorOp,
            [b.pointer(pointer, self.offset)],
            triton.DescriptorType(block),
            {key: DenseArrayBase.from_list(i64, n) for key, n in sizes.items()},
            f"{pointer.name_hint}_blocks",
        )
        places = [_coordinate(kernel, index) for index in indices]
        operands, hint = [descriptor, *places], pointer.name_hint
        loaded = b.pure(triton.LoadDescriptorOp, operands, block, hint=hint)
        result = block_of(element, shape)
        return loaded if result == block else b.pure(triton.ReshapeOp, [loaded], result)


def _coordinate(kernel: Kernel, index: Value) -> SSAValue:
    """An index of a descriptor, which is i32 however long offsets are."""
    b = kernel.builder
    if isinstance(index, int):
        return b.constant(index, i32)
    is_narrow = element_of(index.type) == i32
    return index if is_narrow else b.cast("trunci", index, i32)
