"""From the indices of a loop nest to elements in memory.

An affine map gives the logical indices of an operand; a packed operand (`#dev.layout`
in its memory space) is then reached through a view of its physical shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects import plan
from devproc.dialects.dev import (
    BlockFloatAttr,
    InnerProductAttr,
    Layout,
    LayoutAttr,
    OnAttr,
    WeightOnlyAttr,
    stored_as,
)
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import memref_of


def layout_of(value: SSAValue) -> LayoutAttr | None:
    """The packed layout of a memref; None if it is row-major."""
    return stored_as(value, LayoutAttr)


def is_packed(value: SSAValue) -> bool:
    """Whether a memref is packed in panels along one of its dimensions."""
    kinds = (LayoutAttr, BlockFloatAttr, InnerProductAttr, WeightOnlyAttr)
    return any(stored_as(value, kind) is not None for kind in kinds)


def physical_shape(value: SSAValue) -> tuple[int, ...]:
    """The row-major shape of a memref in memory."""
    type_ = memref_of(value)
    space, shape = type_.memory_space, type_.get_shape()
    return space.physical_shape(shape) if isinstance(space, OnAttr) else shape


def physical_view(emitter: Emitter, value: SSAValue) -> SSAValue:
    """The memref as stored: a row-major view of its physical shape."""
    type_ = memref_of(value)
    space = type_.memory_space
    if not isinstance(space, OnAttr) or not isinstance(space.layout, Layout):
        return value
    plain = OnAttr.get(space.device.data)
    view = MemRefType(type_.element_type, physical_shape(value), memory_space=plain)
    return emitter.shared((value, view), lambda: plan.ViewOp(value, view))


def view_as(
    emitter: Emitter,
    value: SSAValue,
    shape: Sequence[int],
    element: Attribute | None = None,
) -> SSAValue:
    """A view of the same memory with another shape and, if given, another element
    type."""
    old = memref_of(value)
    element = element or old.element_type
    if old.get_shape() == tuple(shape) and old.element_type == element:
        return value
    type_ = MemRefType(element, shape, memory_space=old.memory_space)
    return emitter.shared((value, type_), lambda: plan.ViewOp(value, type_))


def physical_indices(
    emitter: Emitter, layout: LayoutAttr, indices: Sequence[SSAValue]
) -> list[SSAValue]:
    """Indices into the physical shape of a packed memref."""
    tiles = layout.tile_sizes
    outer = [emitter.div(indices[d], tiles[d]) for d in layout.order_of_dims]
    inner = [
        emitter.mod(indices[d], tiles[d]) for d in layout.order_of_dims if tiles[d] > 1
    ]
    return outer + inner


def locate(
    emitter: Emitter, value: SSAValue, indices: Sequence[SSAValue]
) -> tuple[SSAValue, Sequence[SSAValue]]:
    """The memref to access and the indices to use for a logical element."""
    layout = layout_of(value)
    if layout is None:
        return value, indices
    return physical_view(emitter, value), physical_indices(emitter, layout, indices)


def apply_map(
    emitter: Emitter, map_: AffineMap, dims: Sequence[SSAValue]
) -> list[SSAValue]:
    """The results of an affine map as indices."""
    return [apply_expr(emitter, expr, dims) for expr in map_.results]


def apply_expr(
    emitter: Emitter, expr: AffineExpr, dims: Sequence[SSAValue]
) -> SSAValue:
    """The value of an affine expression at these dimensions."""
    if isinstance(expr, AffineDimExpr):
        return dims[expr.position]
    if isinstance(expr, AffineConstantExpr):
        return emitter.index(expr.value)
    binary = cast(AffineBinaryOpExpr, expr)
    left = apply_expr(emitter, binary.lhs, dims)
    right = apply_expr(emitter, binary.rhs, dims)
    result = emitter.affine(binary.kind, left, right)
    if result is None:
        raise PassFailedException(f"no loop form for the index expression {expr}")
    return result


def linear_form(expr: AffineExpr) -> dict[int, int] | None:
    """The coefficient of each loop in an index; None if it is not linear."""
    if isinstance(expr, AffineDimExpr):
        return {expr.position: 1}
    if isinstance(expr, AffineConstantExpr):
        return {}
    if not isinstance(expr, AffineBinaryOpExpr):
        return None
    left, right = linear_form(expr.lhs), linear_form(expr.rhs)
    if left is None or right is None:
        return None
    if expr.kind is AffineBinaryOpKind.Add:
        return {d: left.get(d, 0) + right.get(d, 0) for d in {*left, *right}}
    if expr.kind is AffineBinaryOpKind.Mul:
        factor, form = (expr.lhs, right) if not left else (expr.rhs, left)
        if isinstance(factor, AffineConstantExpr):
            return {d: c * factor.value for d, c in form.items()}
    return form_without_loops(expr)


def form_without_loops(expr: AffineExpr) -> dict[int, int] | None:
    """The same for an expression; empty if it uses no loop, None if it is not
    linear."""
    return None if expr.used_dims() else {}


def load_element(
    emitter: Emitter, value: SSAValue, map_: AffineMap, dims: Sequence[SSAValue]
) -> SSAValue:
    """The element of an operand at a point of the loop nest; a scalar is returned."""
    if not isinstance(value.type, MemRefType):
        return value
    return emitter.load(*locate(emitter, value, apply_map(emitter, map_, dims)))


def store_element(
    emitter: Emitter,
    element: SSAValue,
    target: SSAValue,
    map_: AffineMap,
    dims: Sequence[SSAValue],
) -> None:
    """Store an element of an output at a point of the loop nest."""
    where = locate(emitter, target, apply_map(emitter, map_, dims))
    emitter.store(element, *where)
