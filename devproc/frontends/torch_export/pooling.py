"""Average and adaptive pools; rows of `window`."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.base import int_array, int_attr
from devproc.dialects.nn.compare import WhereOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import DivOp
from devproc.dialects.nn.reduction import ReduceMaxOp, ReduceSumOp
from devproc.dialects.nn.window import SumPool2dOp
from devproc.frontends.torch_export.builder import (
    GraphBuilder,
    ImportRule,
    Unavailable,
    shape_of,
)
from devproc.frontends.torch_export.formula import Formula, compute_type


def as_image(b: GraphBuilder, x: SSAValue, rank: int) -> SSAValue:
    """(C, L), (N, C, L), (C, H, W) or NCHW as NCHW."""
    *leading, channels = shape_of(x)[: len(shape_of(x)) - rank]
    count = leading[0] if leading else 1
    sizes = shape_of(x)[len(shape_of(x)) - rank :]
    return b.reshape(x, (count, channels, *[1] * (2 - rank), *sizes))


def pair(values: int | Sequence[int], rank: int, other: int) -> tuple[int, int]:
    """Two values: of one dimension beside `other`, or of two."""
    given = [values] if isinstance(values, int) else list(values)
    return (other, given[0]) if rank == 1 else (given[0], given[-1])


def _avg_pool(
    b: GraphBuilder,
    x: SSAValue,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None = None,
    rank: int = 2,
) -> SSAValue:
    element = b.result.element_type
    f = Formula(b, compute_type(element))
    sizes = pair(kernel, rank, 1)
    strides = pair(stride or kernel, rank, 1)
    pads = pair(padding, rank, 0)
    x = f.value(as_image(b, x, rank))
    properties = {
        "kernel": int_array(sizes),
        "stride": int_array(strides),
        "padding": int_array(pads),
        "dilation": int_array([1, 1]),
        "ceil_mode": int_attr(int(ceil_mode)),
    }
    total = b.emit(SumPool2dOp.build_op([x], properties))
    down, right = (
        _counts(
            shape_of(total)[2 + i],
            shape_of(x)[2 + i],
            sizes[i],
            strides[i],
            pads[i],
            count_include_pad,
        )
        for i in (0, 1)
    )
    divisors = torch.outer(down, right)
    if divisor_override is not None:
        divisors = torch.full_like(divisors, divisor_override)
    if bool((divisors == divisors[0, 0]).all()):
        divisors = divisors[0, 0]
    value = f(DivOp, total, b.constant(divisors, f"window_sizes.{b.node_name}"))
    return b.cast(b.reshape(value, b.result.get_shape()), element)


def _counts(
    out: int, size: int, kernel: int, stride: int, padding: int, include_pad: bool
) -> torch.Tensor:
    """Elements that each window along one dimension counts."""
    start = torch.arange(out) * stride - padding
    end = (start + kernel).clamp(max=size + padding)
    if not include_pad:
        start, end = start.clamp(min=0), end.clamp(max=size)
    return (end - start).double()


def _avg_pool1d(b: GraphBuilder, x: SSAValue, *args: object) -> SSAValue:
    return _avg_pool(b, x, *args, rank=1)  # pyright: ignore[reportArgumentType]


def _bins(size: int, out: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Bounds of the windows that divide a dimension into `out` parts."""
    i = torch.arange(out)
    return i * size // out, -(-(i + 1) * size // out)


def _gather_bins(
    b: GraphBuilder, x: SSAValue, axis: int, out: int
) -> tuple[SSAValue, torch.Tensor]:
    """The windows of one axis as an axis (out) and one behind it (elements), where a
    short window repeats its last element; and each window's length.
    """
    shape = shape_of(x)
    start, end = _bins(shape[axis], out)
    longest = int((end - start).max())
    places = torch.minimum(start[:, None] + torch.arange(longest), end[:, None] - 1)
    after = [1] * (len(shape) - axis - 1)
    index = places.reshape([*[1] * axis, -1, *after])
    if longest * out != shape[axis]:
        indices = b.constant(index, f"bins.{b.node_name}.{axis}")
        x = b.emit(GatherOp.at(x, [indices], [axis]))
    windows = b.reshape(x, (*shape[:axis], out, longest, *shape[axis + 1 :]))
    return windows, end - start


def _adaptive_avg_pool(b: GraphBuilder, x: SSAValue, size: Sequence[int]) -> SSAValue:
    element, rank = b.result.element_type, len(shape_of(x))
    f = Formula(b, compute_type(element))
    x = f.value(x)
    axes = list(range(rank - len(size), rank))
    if all(n == 1 for n in size):
        count = 1
        for axis in axes:
            count *= shape_of(x)[axis]
        total = b.emit(ReduceSumOp.over(x, axes, True))
        return b.cast(f(DivOp, total, float(count)), element)
    for axis, out in zip(axes, size, strict=True):
        x, counts = _gather_bins(b, x, axis, out)
        longest, after = shape_of(x)[axis + 1], [1] * (rank - axis - 1)
        inside = torch.arange(longest) < counts[:, None]
        if not bool(inside.all()):
            mask = b.constant(
                inside.reshape(out, longest, *after), f"bin_mask.{b.node_name}.{axis}"
            )
            x = f.where(mask, x, 0.0)
        total = b.emit(ReduceSumOp.over(x, [axis + 1], False))
        divisors = counts.double().reshape(out, *after)
        x = f(DivOp, total, b.constant(divisors, f"bin_sizes.{b.node_name}.{axis}"))
    return b.cast(b.reshape(x, b.result.get_shape()), element)


def _adaptive_max_pool(
    b: GraphBuilder, x: SSAValue, size: Sequence[int]
) -> tuple[SSAValue, Unavailable]:
    rank = len(shape_of(x))
    for axis, out in zip(range(rank - len(size), rank), size, strict=True):
        x, _ = _gather_bins(b, x, axis, out)
        x = b.emit(ReduceMaxOp.over(x, [axis + 1], False))
    indices = Unavailable(
        "the indices of adaptive_max_pool are not computed", "use only the values"
    )
    return x, indices


_AVG = (SumPool2dOp, DivOp)
_ADAPTIVE_AVG = ImportRule(_adaptive_avg_pool, (GatherOp, WhereOp, ReduceSumOp, DivOp))
_ADAPTIVE_MAX = ImportRule(_adaptive_max_pool, (GatherOp, ReduceMaxOp))

POOLS: dict[str, ImportRule] = {
    "aten._adaptive_avg_pool2d.default": _ADAPTIVE_AVG,
    "aten.adaptive_avg_pool1d.default": _ADAPTIVE_AVG,
    "aten.adaptive_avg_pool2d.default": _ADAPTIVE_AVG,
    "aten.adaptive_max_pool1d.default": _ADAPTIVE_MAX,
    "aten.adaptive_max_pool2d.default": _ADAPTIVE_MAX,
    "aten.avg_pool1d.default": ImportRule(_avg_pool1d, _AVG),
    "aten.avg_pool2d.default": ImportRule(_avg_pool, _AVG),
}
"""ATen overload -> how to build it."""
