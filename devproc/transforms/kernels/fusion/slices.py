"""Reads of slices, such as the heads of one of several merged products, without a copy."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.linalg.ops import YieldOp
from xdsl.dialects.tensor import EmptyOp, ExtractOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import device_of
from devproc.dialects.linalg_ext.sequential import ScatterOp
from devproc.dialects.plan import ViewOp
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    CHAIN,
    SOURCES,
    Generic,
    is_pointwise,
    is_slice,
    loop_sizes,
    make_generic,
    maps_of,
    shape_of,
    sources_attribute,
)
from devproc.ir.text.location import copy_location
from devproc.ir.types import tensor, tensor_of
from devproc.transforms.kernels.fusion.attention_layout import read_from
from devproc.transforms.kernels.fusion.prologue import is_copy
from devproc.transforms.kernels.fusion.strides import (
    Offset,
    Place,
    composed,
    flattened,
    indices_of,
    offsets_of,
    place_of,
)


def read_through_slices(block: Block) -> None:
    """Let pointwise ops of the CPU read slices of a computed value from the value itself,
    where their innermost loop reads adjacent elements; the updates of a scatter become one
    copy from there.

    An op on a slice cannot join the loops that compute the whole value, so that nothing but
    a copy is lost.
    """
    reader = SliceReader()
    for op in list(block.ops):
        if isinstance(op, ScatterOp) and device_of(op.updates.type) == HOST:
            reader.copy_updates(op)
        elif (
            isinstance(op, Generic)
            and is_pointwise(op)
            and CHAIN not in op.attributes
            and device_of(op.results[0].type) == HOST
        ):
            reader.read_inputs(op)


class SliceReader:
    """Replaces slices by what they are slices of, in a shape that its readers share."""

    def __init__(self) -> None:
        self.views: dict[tuple[SSAValue, tuple[int, ...]], SSAValue] = {}

    def read_inputs(self, op: Generic) -> None:
        """Read the inputs of a pointwise op that are slices from their sources."""
        for index, value in enumerate(op.inputs):
            indices = offsets_of(maps_of(op)[index])
            if indices is not None:
                source = source_of(value, indices, loop_sizes(op))
                if source is not None and not (is_copy(op) and is_gathered(source[0])):
                    value, place = source
                    value = self.viewed(value, place, op)
                    op = read_from(op, index, value, place)

    def copy_updates(self, op: ScatterOp) -> None:
        """Make the updates of a scatter, if they are a slice, one copy in their shape."""
        type_ = tensor_of(op.updates)
        sizes = type_.get_shape()
        loops = [Offset({loop: 1}) for loop in range(len(sizes))]
        source = source_of(op.updates, loops, sizes)
        if source is None:
            return
        value, place = source
        empty = EmptyOp([], type_)
        body = Block(arg_types=[type_.element_type] * 2)
        body.add_op(YieldOp(body.args[0]))
        rank = len(sizes)
        maps = [AffineMap(rank, 0, place.indices), AffineMap.identity(rank)]
        view, parallel = self.viewed(value, place, op), [True] * rank
        copy = make_generic([view], [empty.tensor], maps, parallel, body, sizes)
        copy.attributes[SOURCES] = sources_attribute(["nn.slice"])
        for made in (empty, copy):
            copy_location(op, made)
            Rewriter.insert_op(made, InsertPoint.before(op))
        op.operands[0] = copy.results[0]

    def viewed(self, value: SSAValue, place: Place, reader: Operation) -> SSAValue:
        """A value in the shape of a place; the first reader is the first in the block."""
        if shape_of(value) == place.shape:
            return value
        key = (value, place.shape)
        if key not in self.views:
            old = tensor_of(value)
            view = ViewOp(value, tensor(old.element_type, place.shape, old.encoding))
            copy_location(reader, view)
            Rewriter.insert_op(view, InsertPoint.before(reader))
            self.views[key] = view.result
        return self.views[key]


def source_of(
    value: SSAValue, indices: Sequence[Offset], sizes: Sequence[int]
) -> tuple[SSAValue, Place] | None:
    """The computed value that a value at these indices is a slice of, through copies and
    views, and the place of the elements there; None if there is no slice, or the innermost
    loop does not read adjacent elements."""
    offset = flattened(indices, shape_of(value), sizes)
    has_slice = False
    while True:
        maker = value.owner
        if isinstance(maker, ViewOp):
            value = maker.source
            continue
        if not is_copy(maker):
            break
        loops, read = indices_of(offset, shape_of(value), sizes), maps_of(maker)[0]
        inner = offsets_of(read)
        if loops is None or inner is None:
            return None
        value = maker.inputs[0]
        has_slice = has_slice or is_slice(read, value, loop_sizes(maker))
        offset = flattened(composed(inner, loops), shape_of(value), sizes)
    innermost = offset.terms.get(len(sizes) - 1, 1)
    if not has_slice or not isinstance(maker, Generic) or innermost != 1:
        return None
    place = place_of(offset, tensor_of(value).element_count(), sizes)
    return None if place is None else (value, place)


def is_gathered(value: SSAValue) -> bool:
    """Whether it is gathered by indexed loads, as a concatenation is: `pick_through` lets
    copies of its slices load from its sources."""
    maker = value.owner
    return isinstance(maker, Generic) and any(
        isinstance(op, ExtractOp) for op in maker.body.block.ops
    )
