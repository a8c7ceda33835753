"""Sinks views below pointwise ops, so that none separates two ops that can fuse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects.linalg.ops import IndexOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.plan import ViewOp
from devproc.ir.program.structured import (
    CHAIN,
    Generic,
    is_pointwise,
    make_generic,
    maps_of,
    shape_of,
)
from devproc.ir.text.location import copy_location
from devproc.ir.types import tensor, tensor_of
from devproc.transforms.kernels.fusion.groups import reads
from devproc.transforms.kernels.fusion.rows import belongs_to_rows


def sink_views(block: Block) -> None:
    """Rewrite f(view(x), y) to view(f(x, view(y))) if x is the result of loops, those with
    the longest chain of ops before them among the operands.

    Valid for an f without broadcasts, since views keep the order of elements. The ops
    of a chain keep their domain, and so do those that join the reduction after them.
    """
    depth: dict[object, int] = {}
    for op in list(block.ops):
        depth[op] = 1 + max((depth.get(v.owner, 0) for v in reads(op)), default=0)
        if (
            isinstance(op, Generic)
            and CHAIN not in op.attributes
            and is_elementwise(op)
            and not belongs_to_rows(op)
        ):
            shape = shape_of_deepest(op.inputs, depth)
            if shape is not None and shape != shape_of(op.results[0]):
                view = compute_in_shape(op, shape)
                depth[view] = depth[view.source.owner] = depth[op]


def is_elementwise(op: Generic) -> bool:
    """Whether element i of the only result depends only on elements i of the inputs."""
    identity = AffineMap.identity(op.get_num_loops())
    return (
        is_pointwise(op)
        and len(op.results) == 1
        and all(map_ == identity for map_ in maps_of(op))
        # A slice from 0 reads a larger tensor by the same map.
        and len({tensor_of(v).get_shape() for v in op.operands}) == 1
        and not any(isinstance(inner, IndexOp) for inner in op.body.block.ops)
    )


def shape_of_deepest(
    values: Iterable[SSAValue], depth: Mapping[object, int]
) -> tuple[int, ...] | None:
    """The shape of the deepest loop result that is one of these values or that one of them
    is a view of; None if there is none."""
    sources = (v.owner.source if isinstance(v.owner, ViewOp) else v for v in values)
    made = [value for value in sources if isinstance(value.owner, Generic)]
    if not made:
        return None
    return shape_of(max(made, key=lambda value: depth.get(value.owner, 0)))


def compute_in_shape(op: Generic, shape: Sequence[int]) -> ViewOp:
    """Compute an elementwise op in this shape; returns the view of the result."""
    new_ops: list[Operation] = []

    def viewed(value: SSAValue) -> SSAValue:
        view = value.owner
        if isinstance(view, ViewOp):
            source = view.source
            if tensor_of(source).get_shape() == tuple(shape):
                return source
        type_ = tensor_of(value)
        new = ViewOp(value, tensor(type_.element_type, shape, type_.encoding))
        new_ops.append(new)
        return new.result

    inputs = [viewed(value) for value in op.inputs]
    type_ = tensor_of(op.results[0])
    empty = EmptyOp([], tensor(type_.element_type, shape, type_.encoding))
    body = op.body.block
    op.body.detach_block(body)
    rank = len(shape)
    maps = [AffineMap.identity(rank)] * (len(inputs) + 1)
    generic = make_generic(inputs, [empty.tensor], maps, [True] * rank, body)
    generic.attributes |= op.attributes
    result = ViewOp(generic.results[0], type_)
    new_ops += [empty, generic, result]
    for new in new_ops:
        copy_location(op, new)
    Rewriter.insert_op(new_ops, InsertPoint.before(op))
    result.result.name_hint = op.results[0].name_hint
    op.results[0].replace_all_uses_with(result.result)
    Rewriter.erase_op(op)
    return result
