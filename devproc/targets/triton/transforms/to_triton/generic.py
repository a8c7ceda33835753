"""A uniform view of the linalg ops of a kernel and of their buffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.dev import LayoutAttr, OnAttr
from devproc.dialects.linalg_ext.scan import AnyScanOp
from devproc.dialects.plan import ViewOp
from devproc.errors import CompileError
from devproc.ir.program.structured import loop_sizes
from devproc.ir.types import AnyMemRef


def memref_of(value: SSAValue) -> AnyMemRef:
    """The type of a value that is known to be a memref."""
    return cast(AnyMemRef, value.type)


def strides_of(type_: AnyMemRef) -> list[int]:
    """The stride of each logical dimension, in elements."""
    shape = list(type_.get_shape())
    order = list(range(len(shape)))
    if isinstance(type_.memory_space, OnAttr) and isinstance(
        type_.memory_space.layout, LayoutAttr
    ):
        layout = type_.memory_space.layout
        if any(tile > 1 for tile in layout.tile_sizes):
            raise CompileError(f"GPU kernels do not support tiled layouts: {type_}")
        order = list(layout.order_of_dims)
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= shape[dim]
    return strides


@dataclass(frozen=True)
class Generic:
    """A linalg op, including `linalg.fill`, which has no inputs."""

    op: Operation
    inputs: tuple[SSAValue, ...]
    outputs: tuple[SSAValue, ...]
    maps: tuple[AffineMap, ...]
    extents: tuple[int, ...]
    reductions: tuple[int, ...]
    """The reduction dimensions."""

    @property
    def block(self) -> Block:
        """The scalar body."""
        return self.op.regions[0].block

    @property
    def parallels(self) -> tuple[int, ...]:
        """The parallel dimensions."""
        return tuple(d for d in range(len(self.extents)) if d not in self.reductions)

    @property
    def output_maps(self) -> tuple[AffineMap, ...]:
        """The indexing map of each output."""
        return self.maps[len(self.inputs) :]

    @property
    def has_results(self) -> bool:
        """Whether the op writes any element; tensors may be empty."""
        return all(self.extents[d] for d in self.parallels)

    def reads_output(self, index: int) -> bool:
        """Whether the body reads the old value of an output."""
        return bool(self.block.args[len(self.inputs) + index].uses)


def generic_of(op: Operation) -> Generic:
    """A linalg op as a `Generic`."""
    if isinstance(op, FillOp):
        shape = memref_of(op.outputs[0]).get_shape()
        identity = AffineMap.identity(len(shape))
        scalar = AffineMap(len(shape), 0, ())
        return Generic(
            op,
            tuple(op.inputs),
            tuple(op.outputs),
            (scalar, identity),
            tuple(shape),
            (),
        )
    if isinstance(op, AnyScanOp):
        shape = memref_of(op.operand).get_shape()
        maps = (AffineMap.identity(len(shape)),) * (1 + len(op.outputs))
        axis = op.axis.value.data
        return Generic(op, (op.operand,), tuple(op.outputs), maps, shape, (axis,))
    if not isinstance(op, GenericOp):
        raise CompileError(f"'{op.name}' is not expected in a GPU kernel")
    maps = tuple(m.data for m in op.indexing_maps)
    iterators = [it.data for it in op.iterator_types]
    return Generic(
        op,
        tuple(op.inputs),
        tuple(op.outputs),
        maps,
        loop_sizes(op),
        tuple(d for d, it in enumerate(iterators) if it == IteratorType.REDUCTION),
    )


def root_of(value: SSAValue) -> SSAValue:
    """The memref at the root of a chain of views."""
    while isinstance(value.owner, ViewOp):
        value = value.owner.source
    return value
