"""ATen operators that write at computed indices; rows of `gather`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import LtOp, WhereOp
from devproc.dialects.nn.gather import ScatterOp
from devproc.dialects.nn.pointwise import AddOp, CastOp, DivOp, MaximumOp, MulOp
from devproc.frontends.torch_export.elementwise.division import floor_division
from devproc.frontends.torch_export.elementwise.formula import Formula
from devproc.frontends.torch_export.elementwise.value_checks import check_index
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    axis_of,
    rows_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.places.indices import (
    INT64,
    Places,
    as_index,
    check_places,
    is_mask,
    line,
)
from devproc.frontends.torch_export.places.masks import masked_put
from devproc.frontends.torch_export.places.padding import constant_pad
from devproc.frontends.torch_export.places.pieces import expanded, filled, part
from devproc.ir.types import DTYPES, is_bool, is_float, tensor_of
from devproc.reference.conversion.tensors import torch_dtype


def _wrapped(b: GraphBuilder, index: SSAValue, size: int) -> SSAValue:
    """An index with negative values wrapped to count from the end."""
    element = tensor_of(index).element_type
    negative = b.emit(LtOp.build_op([index, b.scalar(0, element)]))
    shifted = b.emit(AddOp.build_op([index, b.scalar(size, element)]))
    return b.emit(WhereOp.build_op([negative, shifted, index]))


def _index_put(
    b: GraphBuilder,
    x: SSAValue,
    indices: Sequence[SSAValue | None],
    values: SSAValue,
    accumulate: bool = False,
) -> SSAValue:
    """The axes from the first to the last indexed one flattened into one, with a single
    linear index.
    """
    if [is_mask(i) for i in indices if i is not None] == [True]:
        return masked_put(b, x, indices, values, accumulate)
    places, shape = Places(b, x, indices), shape_of(x)
    if not size_of(x) or not prod(places.shape):
        return x
    first, end = places.axes[0], places.axes[-1] + 1
    before, after = shape[:first], shape[end:]
    between = [d for d in range(first, end) if d not in places.axes]
    sizes, count = [shape[d] for d in between], prod(places.shape)
    total = _linear_index(b, places, between)
    updates = b.cast(values, tensor_of(x).element_type)
    if places.are_together:
        # The values have the indexed axes in place of the first one, as the result has.
        updates = expanded(b, updates, [*before, *places.shape, *after])
    else:
        # They have them before all others.
        updates = expanded(b, updates, [*places.shape, *before, *sizes, *after])
        updates = b.reshape(updates, [count, *before, *sizes, *after])
        order = range(1, len(shape_of(updates)))
        updates = b.transpose(updates, [*order[:first], 0, *order[first:]])
    updates = b.reshape(updates, [*before, count * prod(sizes), *after])
    target = b.reshape(x, [*before, prod(shape[first:end]), *after])
    index = line(b, total, first, len(shape_of(target)))
    mode = "add" if accumulate else "set"
    return b.reshape(_scattered(b, target, index, updates, first, mode), shape)


def _linear_index(b: GraphBuilder, places: Places, between: Sequence[int]) -> SSAValue:
    """The index of elements of the axes from the first to the last indexed one, as one: for
    each index those of all elements of the axes between.
    """
    shape, end = shape_of(places.operand), places.axes[-1] + 1
    strides = [prod(shape[d + 1 : end]) for d in range(end)]
    wrapped = (
        _wrapped(b, b.cast(given, INT64), size)
        for given, size in zip(places.lines, places.sizes, strict=True)
    )
    if not between:
        total = next(wrapped)
        for index, size in zip(wrapped, places.sizes[1:], strict=True):
            total = b.emit(MulOp.build_op([total, b.scalar(size, INT64)]))
            total = b.emit(AddOp.build_op([total, index]))
        return total
    lines = (torch.arange(shape[d]) * strides[d] for d in between)
    offsets = sum(
        torch.meshgrid(*lines, indexing="ij"), torch.zeros((), dtype=torch.int64)
    )
    total = b.constant(offsets.reshape(1, -1), f"constant.{b.node_name}.between")
    for index, axis in zip(wrapped, places.axes, strict=True):
        column = b.reshape(index, [size_of(index), 1])
        scaled = b.emit(MulOp.build_op([column, b.scalar(strides[axis], INT64)]))
        total = b.emit(AddOp.build_op([total, scaled]))
    return total


def _checked_index_put(
    b: GraphBuilder, x: SSAValue, indices: Sequence[SSAValue | None], *rest: Any
) -> SSAValue:
    check_places(b, x, indices)
    return _index_put(b, x, indices, *rest)


def _masked_add(
    b: GraphBuilder,
    x: SSAValue,
    mask: SSAValue,
    indices: Sequence[SSAValue | None],
    values: SSAValue,
) -> SSAValue:
    """Adds the values where the mask is true and zeros elsewhere."""
    zero = b.scalar(0, tensor_of(values).element_type)
    values = b.emit(WhereOp.build_op([mask, values, zero]))
    return _index_put(b, x, indices, values, True)


def _put(
    b: GraphBuilder,
    x: SSAValue,
    index: SSAValue,
    source: SSAValue,
    accumulate: bool = False,
) -> SSAValue:
    """Writes elements at positions of the flattened tensor."""
    check_index(b, index, size_of(x), wraps=True)
    flat = b.reshape(x, [size_of(x)])
    places, values = (b.reshape(v, [size_of(v)]) for v in (index, source))
    return b.reshape(_index_put(b, flat, [places], values, accumulate), shape_of(x))


def _scattered(
    b: GraphBuilder,
    x: SSAValue,
    index: SSAValue,
    updates: SSAValue,
    axis: int,
    mode: str,
) -> SSAValue:
    """A scatter. For bools, "add" is a logical or and "mul" a logical and."""
    element = tensor_of(x).element_type
    if is_bool(element) and mode != "set":
        mode = {"add": "max", "mul": "min"}.get(mode, mode)
        x, updates = (b.cast(v, DTYPES["uint8"]) for v in (x, updates))
    result = b.emit(ScatterOp.into(x, as_index(b, index), updates, axis, mode))
    return b.cast(result, element)


_MODES = {
    "set": "set",
    "sum": "add",
    "add": "add",
    "mean": "add",
    "prod": "mul",
    "multiply": "mul",
    "amax": "max",
    "amin": "min",
}
"""PyTorch's `reduce` -> mode of `nn.scatter`."""


def _reduced(
    b: GraphBuilder,
    x: SSAValue,
    index: SSAValue,
    updates: SSAValue,
    axis: int,
    reduce: str,
    include_self: bool,
) -> SSAValue:
    """A scatter with PyTorch's `reduce`. Without `include_self`, elements that are
    written to start from the neutral element of the reduction.
    """
    element, start, mode = tensor_of(x).element_type, x, _MODES[reduce]
    ones = [n if d == axis else 1 for d, n in enumerate(shape_of(updates))]
    if not include_self:
        flag = DTYPES["uint8"]
        none = expanded(b, b.scalar(0, flag), shape_of(x))
        mark = filled(b, b.scalar(1, flag), ones)
        touched = _scattered(b, none, index, mark, axis, "set")
        neutral = b.scalar(_neutral(mode, torch_dtype(element)), element)
        touched = b.cast(touched, DTYPES["bool"])
        start = b.emit(WhereOp.build_op([touched, neutral, x]))
    result = _scattered(b, start, index, updates, axis, mode)
    if reduce != "mean":
        return result
    first = b.scalar(int(include_self), element)
    one = b.scalar(1, element)
    each = filled(b, one, ones)
    zero = expanded(b, first, shape_of(x))
    count = _scattered(b, zero, index, each, axis, "add")
    count = b.emit(MaximumOp.build_op([count, one]))
    if is_float(element):
        return b.emit(DivOp.build_op([result, count]))
    return floor_division(Formula(b, element), result, count)


def _neutral(mode: str, dtype: torch.dtype) -> Number:
    """The neutral element of a scatter mode."""
    if mode in ("set", "add", "mul"):
        return int(mode == "mul")
    if dtype == torch.bool:
        return mode == "min"
    if dtype.is_floating_point:
        return float("-inf") if mode == "max" else float("inf")
    limits = torch.iinfo(dtype)
    return limits.min if mode == "max" else limits.max


def _scatter(
    b: GraphBuilder,
    x: SSAValue,
    dim: int,
    index: SSAValue,
    source: SSAValue | Number,
    reduce: str | None = None,
    include_self: bool = True,
) -> SSAValue:
    """A scatter at element positions. Where the index is smaller than the tensor, it is
    padded with -1, which updates nothing.
    """
    shape = shape_of(x)
    check_index(b, index, (shape or (1,))[axis_of(dim, len(shape))])
    if not size_of(index) or not size_of(x):
        return x
    target, index = (b.reshape(v, shape_of(v) or [1]) for v in (x, index))
    axis = axis_of(dim, len(shape_of(target)))
    element = tensor_of(x).element_type
    sizes = shape_of(index)
    if isinstance(source, SSAValue):
        updates = b.reshape(b.cast(source, element), shape_of(source) or [1])
        for d, size in enumerate(sizes):
            updates = part(b, updates, d, 0, size)
    else:
        line_of_axis = [n if d == axis else 1 for d, n in enumerate(sizes)]
        updates = filled(b, b.scalar(source, element), line_of_axis)
    missing: list[int] = []
    for d, (size, whole) in enumerate(zip(sizes, shape_of(target), strict=True)):
        missing = [0, 0 if d == axis else whole - size, *missing]
    if any(missing):
        index = constant_pad(b, as_index(b, index), missing, -1)
        if isinstance(source, SSAValue):
            updates = constant_pad(b, updates, missing)
    result = _reduced(b, target, index, updates, axis, reduce or "set", include_self)
    return b.reshape(result, shape)


def _index_write(
    b: GraphBuilder,
    x: SSAValue,
    dim: int,
    index: SSAValue,
    source: SSAValue | Number,
    reduce: str = "set",
    include_self: bool = True,
    wraps: bool = False,
) -> SSAValue:
    """Writes whole slices of one axis, one for each element of the index; with `wraps`,
    negative indices count from the end.
    """
    shape = shape_of(x)
    size = (shape or (1,))[axis_of(dim, len(shape))]
    check_index(b, index, size, wraps=wraps)
    if not size_of(index) or not size_of(x):
        return x
    target = b.reshape(x, shape or [1])
    rank = len(shape_of(target))
    axis = axis_of(dim, rank)
    places = line(b, index, axis, rank)
    element, count = tensor_of(x).element_type, size_of(index)
    places = _wrapped(b, places, size)
    if not isinstance(source, SSAValue):
        source = b.scalar(source, element)
    updates = b.cast(source, element)
    if size_of(updates) == 1:
        updates = filled(b, updates, [count if d == axis else 1 for d in range(rank)])
    else:
        sizes = [count if d == axis else n for d, n in enumerate(shape_of(target))]
        updates = b.reshape(updates, sizes)
    result = _reduced(b, target, places, updates, axis, reduce, include_self)
    return b.reshape(result, shape)


def _index_add(
    b: GraphBuilder,
    x: SSAValue,
    dim: int,
    index: SSAValue,
    source: SSAValue,
    alpha: Number = 1,
) -> SSAValue:
    if is_bool(tensor_of(x).element_type):
        return _index_write(b, x, dim, index, source, "add") if alpha else x
    if alpha != 1:
        source = b.cast(source, tensor_of(x).element_type)
        factor = b.scalar(alpha, tensor_of(x).element_type)
        source = b.emit(MulOp.build_op([source, factor]))
    return _index_write(b, x, dim, index, source, "add")


_PUT = (ScatterOp, WhereOp)
_REDUCE = (ScatterOp, WhereOp, CastOp, MaximumOp, DivOp)
_FILL = ImportRule(partial(_index_write, wraps=True), (ScatterOp,))

ROWS: dict[str, ImportRule] = {
    **rows_of(ImportRule(_checked_index_put, _PUT), "_unsafe_index_put index_put"),
    "aten._unsafe_masked_index_put_accumulate.default": ImportRule(_masked_add, _PUT),
    "aten.index_add.default": ImportRule(_index_add, (ScatterOp,)),
    "aten.index_copy.default": ImportRule(_index_write, (ScatterOp,)),
    **rows_of(_FILL, "index_fill.int_Scalar index_fill.int_Tensor"),
    "aten.index_reduce.default": ImportRule(_index_write, _REDUCE),
    "aten.put.default": ImportRule(_put, (ScatterOp,)),
    **rows_of(
        ImportRule(_scatter, (ScatterOp,)),
        "scatter.reduce scatter.src scatter.value scatter.value_reduce",
    ),
    "aten.scatter_add.default": ImportRule(
        partial(_scatter, reduce="add"), (ScatterOp,)
    ),
    "aten.scatter_reduce.two": ImportRule(_scatter, _REDUCE),
}
"""ATen overload -> import rule."""
