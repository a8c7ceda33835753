"""ATen operators that write at computed indices.

Their rows stand in the table of the family `gather`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

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
from devproc.frontends.torch_export.places.pieces import expanded, part
from devproc.ir.types import DTYPES, is_bool, is_float, tensor_of
from devproc.reference.conversion.tensors import torch_dtype


def _wrapped(b: GraphBuilder, index: SSAValue, size: int) -> SSAValue:
    """An index whose negative values count from the end."""
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
    """The indexed axes as one, and one index into it."""
    if [is_mask(i) for i in indices if i is not None] == [True]:
        return masked_put(b, x, indices, values, accumulate)
    places = Places(b, x, indices)
    moved, first, count = places.moved, places.first, len(places.axes)
    if not size_of(x) or not prod(places.shape):
        return x
    total: SSAValue | None = None
    for given, size in zip(places.lines, places.sizes, strict=True):
        index = _wrapped(b, b.cast(given, INT64), size)
        if total is None:
            total = index
        else:
            total = b.emit(MulOp.build_op([total, b.scalar(size, INT64)]))
            total = b.emit(AddOp.build_op([total, index]))
    assert total is not None
    shape = shape_of(moved)
    before, behind = shape[:first], shape[first + count :]
    # The indexed axes stand where the first of them was, in the values too.
    written = [*before, *places.shape, *behind]
    flat = [*before, prod(places.shape), *behind]
    updates = b.cast(values, tensor_of(x).element_type)
    updates = b.reshape(expanded(b, updates, written), flat)
    target = b.reshape(moved, [*before, prod(places.sizes), *behind])
    index = line(b, total, first, len(flat))
    mode = "add" if accumulate else "set"
    result = _scattered(b, target, index, updates, first, mode)
    return places.back(b, b.reshape(result, shape))


def _checked_index_put(
    b: GraphBuilder,
    x: SSAValue,
    indices: Sequence[SSAValue | None],
    values: SSAValue,
    accumulate: bool = False,
) -> SSAValue:
    check_places(b, x, indices)
    return _index_put(b, x, indices, values, accumulate)


def _masked_add(
    b: GraphBuilder,
    x: SSAValue,
    mask: SSAValue,
    indices: Sequence[SSAValue | None],
    values: SSAValue,
) -> SSAValue:
    """Adds the values where the mask holds; the others add zero, wherever they point."""
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
    """Elements written to places in the flattened tensor."""
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
    """A scatter, for bools too: their sum is "any", their product "all"."""
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


@dataclass(frozen=True)
class How:
    """What becomes of an element and the updates to its place."""

    reduce: str = "set"
    include_self: bool = True
    """Whether the element takes part where something is written to it."""

    @property
    def mode(self) -> str:
        """The mode of `nn.scatter`."""
        return _MODES[self.reduce]


def _reduced(
    b: GraphBuilder,
    x: SSAValue,
    index: SSAValue,
    updates: SSAValue,
    axis: int,
    how: How,
) -> SSAValue:
    """A scatter; without the element itself it starts from the neutral one."""
    element, start = tensor_of(x).element_type, x
    ones = [n if d == axis else 1 for d, n in enumerate(shape_of(updates))]
    if not how.include_self:
        flag = DTYPES["uint8"]
        none = expanded(b, b.scalar(0, flag), shape_of(x))
        mark = expanded(b, b.reshape(b.scalar(1, flag), [1] * len(ones)), ones)
        touched = _scattered(b, none, index, mark, axis, "set")
        neutral = b.scalar(_neutral(how.mode, torch_dtype(element)), element)
        touched = b.cast(touched, DTYPES["bool"])
        start = b.emit(WhereOp.build_op([touched, neutral, x]))
    result = _scattered(b, start, index, updates, axis, how.mode)
    if how.reduce != "mean":
        return result
    first = b.scalar(int(how.include_self), element)
    one = b.scalar(1, element)
    each = expanded(b, b.reshape(one, [1] * len(ones)), ones)
    zero = expanded(b, first, shape_of(x))
    count = _scattered(b, zero, index, each, axis, "add")
    count = b.emit(MaximumOp.build_op([count, one]))
    if is_float(element):
        return b.emit(DivOp.build_op([result, count]))
    return floor_division(Formula(b, element), result, count)


def _neutral(mode: str, dtype: torch.dtype) -> Number:
    """The number that changes nothing."""
    if mode in ("set", "add", "mul"):
        return int(mode == "mul")
    if dtype == torch.bool:
        return mode == "min"
    if dtype.is_floating_point:
        return float("-inf") if mode == "max" else float("inf")
    limits = torch.iinfo(dtype)
    return limits.min if mode == "max" else limits.max


def _scatter_as(
    b: GraphBuilder,
    x: SSAValue,
    dim: int,
    index: SSAValue,
    source: SSAValue | Number,
    how: How,
) -> SSAValue:
    """Updates at the index's own places: where it is smaller than the tensor, it is
    filled up with -1, which updates nothing.
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
        updates = b.reshape(b.scalar(source, element), [1] * len(sizes))
        updates = expanded(
            b, updates, [n if d == axis else 1 for d, n in enumerate(sizes)]
        )
    missing: list[int] = []
    for d, (size, whole) in enumerate(zip(sizes, shape_of(target), strict=True)):
        missing = [0, 0 if d == axis else whole - size, *missing]
    if any(missing):
        index = constant_pad(b, as_index(b, index), missing, -1)
        if isinstance(source, SSAValue):
            updates = constant_pad(b, updates, missing)
    return b.reshape(_reduced(b, target, index, updates, axis, how), shape)


def _scatter(
    b: GraphBuilder,
    x: SSAValue,
    dim: int,
    index: SSAValue,
    source: SSAValue | Number,
    reduce: str | None = None,
) -> SSAValue:
    return _scatter_as(b, x, dim, index, source, How(reduce or "set"))


def _scatter_add(
    b: GraphBuilder, x: SSAValue, dim: int, index: SSAValue, source: SSAValue
) -> SSAValue:
    return _scatter_as(b, x, dim, index, source, How("add"))


def _scatter_reduce(
    b: GraphBuilder,
    x: SSAValue,
    dim: int,
    index: SSAValue,
    source: SSAValue,
    reduce: str,
    include_self: bool = True,
) -> SSAValue:
    return _scatter_as(b, x, dim, index, source, How(reduce, include_self))


def _index_write(
    b: GraphBuilder,
    x: SSAValue,
    dim: int,
    index: SSAValue,
    source: SSAValue | Number,
    how: How,
    *,
    wraps: bool = False,
) -> SSAValue:
    """Whole slices of one axis written, as many as the index has elements."""
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
        updates = b.reshape(updates, [1] * rank)
        updates = expanded(b, updates, [count if d == axis else 1 for d in range(rank)])
    else:
        updates = b.reshape(
            updates, [count if d == axis else n for d, n in enumerate(shape_of(target))]
        )
    return b.reshape(_reduced(b, target, places, updates, axis, how), shape)


def _index_copy(
    b: GraphBuilder, x: SSAValue, dim: int, index: SSAValue, source: SSAValue
) -> SSAValue:
    return _index_write(b, x, dim, index, source, How())


def _index_fill(
    b: GraphBuilder, x: SSAValue, dim: int, index: SSAValue, source: SSAValue | Number
) -> SSAValue:
    return _index_write(b, x, dim, index, source, How(), wraps=True)


def _index_add(
    b: GraphBuilder,
    x: SSAValue,
    dim: int,
    index: SSAValue,
    source: SSAValue,
    alpha: Number = 1,
) -> SSAValue:
    if is_bool(tensor_of(x).element_type):
        return _index_write(b, x, dim, index, source, How("add")) if alpha else x
    if alpha != 1:
        source = b.cast(source, tensor_of(x).element_type)
        factor = b.scalar(alpha, tensor_of(x).element_type)
        source = b.emit(MulOp.build_op([source, factor]))
    return _index_write(b, x, dim, index, source, How("add"))


def _index_reduce(
    b: GraphBuilder,
    x: SSAValue,
    dim: int,
    index: SSAValue,
    source: SSAValue,
    reduce: str,
    include_self: bool = True,
) -> SSAValue:
    return _index_write(b, x, dim, index, source, How(reduce, include_self))


_INDEX_PUT = ImportRule(_checked_index_put, (ScatterOp, WhereOp))
_REDUCE = (ScatterOp, WhereOp, CastOp, MaximumOp, DivOp)
_SCATTER = ImportRule(_scatter, (ScatterOp,))

ROWS: dict[str, ImportRule] = {
    "aten._unsafe_index_put.default": _INDEX_PUT,
    "aten.index_add.default": ImportRule(_index_add, (ScatterOp,)),
    "aten.index_copy.default": ImportRule(_index_copy, (ScatterOp,)),
    "aten.index_fill.int_Scalar": ImportRule(_index_fill, (ScatterOp,)),
    "aten.index_fill.int_Tensor": ImportRule(_index_fill, (ScatterOp,)),
    "aten.index_put.default": _INDEX_PUT,
    "aten.index_reduce.default": ImportRule(_index_reduce, _REDUCE),
    "aten._unsafe_masked_index_put_accumulate.default": ImportRule(
        _masked_add, (ScatterOp, WhereOp)
    ),
    "aten.put.default": ImportRule(_put, (ScatterOp,)),
    "aten.scatter.reduce": _SCATTER,
    "aten.scatter.src": _SCATTER,
    "aten.scatter.value": _SCATTER,
    "aten.scatter.value_reduce": _SCATTER,
    "aten.scatter_add.default": ImportRule(_scatter_add, (ScatterOp,)),
    "aten.scatter_reduce.two": ImportRule(_scatter_reduce, _REDUCE),
}
"""ATen overload -> how to build it."""
