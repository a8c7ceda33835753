"""Images resized by `torch.nn.functional.interpolate`: one axis after another.

Where each result comes from follows from the sizes alone, so it is computed here, in
the precision of PyTorch's CPU kernels. The other image ops come from the DSL, since ATen
has no operator that names its reference.
"""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn.base import int_array
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.image import (
    NormalizeOp,
    ResampleOp,
    ResampleTapsOp,
    ResizeOp,
)
from devproc.dialects.nn.pointwise import CastOp
from devproc.frontends.torch_export.builder import GraphBuilder, ImportRule, shape_of
from devproc.frontends.torch_export.problems import Refusal
from devproc.ir.types import DTYPES, tensor_of
from devproc.ir.weights import Array

Scales = Sequence[float | None]


def _scale(
    old: int, new: int, given: float | None, kind: type[np.floating[Any]]
) -> Any:
    """Input elements per output element; a factor that the caller gave goes first."""
    if given is not None and given > 0:
        return kind(1.0 / given)
    return kind(old) / kind(new)


def _nearest_places(old: int, new: int, given: float | None, exact: bool) -> Array:
    """Where each output element comes from, in float32 as PyTorch has it."""
    if old == new and not exact:
        return np.arange(new)
    place = np.arange(new).astype(np.float32)
    if exact:
        place = place + np.float32(0.5)
    source = np.floor(place * _scale(old, new, given, np.float32))
    return np.minimum(source.astype(np.int64), old - 1)


def _source(
    old: int,
    new: int,
    given: float | None,
    align_corners: bool,
    cubic: bool,
    kind: type[np.floating[Any]],
) -> Array:
    """The place in the input, between elements, of each output element."""
    place = np.arange(new).astype(kind)
    if align_corners:
        scale = kind(old - 1) / kind(new - 1) if new > 1 else kind(0)
        return place * scale
    half = kind(0.5)
    source = (place + half) * _scale(old, new, given, kind) - half
    return source if cubic else np.maximum(source, kind(0))


def _cubic_weights(t: Array) -> Array:
    """The four weights of a cubic convolution with A = -0.75."""
    a = t.dtype.type(-0.75)

    def near(x: Array) -> Array:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Array) -> Array:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return np.stack([far(t + 1), near(t), near(1 - t), far(2 - t)], axis=1)


def interpolation_taps(
    old: int,
    new: int,
    given: float | None,
    align_corners: bool,
    cubic: bool,
    kind: type[np.floating[Any]],
) -> tuple[Array, Array]:
    """First input index and weights of each output element; at the border the weights of
    what lies outside go to the element at the border.
    """
    source = _source(old, new, given, align_corners, cubic, kind)
    whole = np.floor(source).astype(np.int64)
    if not cubic:
        whole = np.minimum(whole, old - 1)
    t = source - whole.astype(kind)
    if cubic:
        places, weights = whole[:, None] + np.arange(-1, 3), _cubic_weights(t)
    else:
        places = whole[:, None] + np.arange(2)
        weights = np.stack([1 - t, t], axis=1)
    places = np.clip(places, 0, old - 1)
    width = min(weights.shape[1], old)
    first = np.minimum(places[:, 0], old - width)
    taps = np.zeros((new, width), kind)
    rows = np.arange(new)
    for column in range(weights.shape[1]):
        np.add.at(taps, (rows, places[:, column] - first), weights[:, column])
    return first, taps


def _factors(given: Any, count: int) -> list[float | None]:
    """The factors for each axis; none where the size was given instead."""
    if given is None:
        return [None] * count
    return [float(g) if g is not None else None for g in given]


def _axes(b: GraphBuilder, x: SSAValue, scales: Any) -> list[tuple[int, float | None]]:
    """The axes behind batch and channels, each with the factor that was given."""
    rank = len(shape_of(x))
    return list(zip(range(2, rank), _factors(scales, rank - 2), strict=True))


def _nearest_axes(b: GraphBuilder, x: SSAValue, scales: Any, exact: bool) -> SSAValue:
    """All axes in one gather."""
    shape, result = shape_of(x), b.result.get_shape()
    axes: list[int] = []
    lines: list[SSAValue] = []
    for axis, given in _axes(b, x, scales):
        places = _nearest_places(shape[axis], result[axis], given, exact)
        if not np.array_equal(places, np.arange(shape[axis])):
            line = torch.from_numpy(places).reshape(
                [-1 if d == axis else 1 for d in range(len(shape))]
            )
            axes.append(axis)
            lines.append(b.constant(line, f"constant.{b.node_name}.{axis}"))
    return b.emit(GatherOp.at(x, lines, axes)) if axes else x


def _linear_axes(
    b: GraphBuilder, x: SSAValue, align_corners: bool, scales: Any, cubic: bool
) -> SSAValue:
    """The last axis first, as PyTorch nests them. Half precision is computed in float32
    and rounded once.
    """
    element = tensor_of(x).element_type
    double = element == DTYPES["float64"]
    if not double and element not in (
        DTYPES["float32"],
        DTYPES["float16"],
        DTYPES["bfloat16"],
    ):
        raise Refusal(
            "interpolating integers is not supported",
            "cast to float32 before, round and cast back behind",
        )
    value = x if double else b.cast(x, DTYPES["float32"])
    kind = cast(type[np.floating[Any]], np.float64 if double else np.float32)
    result = b.result.get_shape()
    for axis, given in reversed(_axes(b, x, scales)):
        old = shape_of(value)[axis]
        first, taps = interpolation_taps(
            old, result[axis], given, align_corners, cubic, kind
        )
        if old == result[axis] and np.array_equal(first, np.arange(old)):
            continue
        name = f"constant.{b.node_name}.{axis}"
        starts = b.constant(torch.from_numpy(first.astype(np.int32)), f"{name}.first")
        weights = b.constant(torch.from_numpy(taps), f"{name}.taps")
        value = b.emit(ResampleOp.along(value, starts, weights, axis))
    return b.cast(value, element)


def _nearest_rule(exact: bool, vec: bool) -> ImportRule:
    def build(
        b: GraphBuilder, x: SSAValue, size: Sequence[int] | None, *scales: Any
    ) -> SSAValue:
        return _nearest_axes(b, x, scales[0] if vec else scales, exact)

    return ImportRule(build, (GatherOp,))


def _linear_rule(cubic: bool, vec: bool) -> ImportRule:
    def build(
        b: GraphBuilder,
        x: SSAValue,
        size: Sequence[int] | None,
        align_corners: bool,
        *scales: Any,
    ) -> SSAValue:
        return _linear_axes(b, x, align_corners, scales[0] if vec else scales, cubic)

    return ImportRule(build, (ResampleOp, CastOp))


def _antialiased(mode: str) -> ImportRule:
    def build(
        b: GraphBuilder,
        x: SSAValue,
        size: Sequence[int] | None,
        align_corners: bool,
        *scales: Any,
    ) -> SSAValue:
        given = [s for s in scales if s is not None]
        if align_corners or given:
            raise Refusal(
                "antialiasing with align_corners or scale_factor is not supported",
                "give the size, without align_corners",
            )
        result = b.result.get_shape()
        properties: dict[str, Attribute] = {
            "axes": int_array([2, 3]),
            "size": int_array(result[2:]),
            "mode": StringAttr(mode),
            "like": StringAttr("torchvision"),
        }
        return b.emit(ResizeOp.build_op([x], properties))

    return ImportRule(build, (ResizeOp,))


IMPORTS: dict[str, ImportRule] = {
    "aten._upsample_bicubic2d_aa.default": _antialiased("bicubic"),
    "aten._upsample_bicubic2d_aa.vec": _antialiased("bicubic"),
    "aten._upsample_bilinear2d_aa.default": _antialiased("bilinear"),
    "aten._upsample_bilinear2d_aa.vec": _antialiased("bilinear"),
    **{
        f"aten.{name}.{overload}": _nearest_rule("exact" in name, overload == "vec")
        for name in (
            "upsample_nearest1d",
            "upsample_nearest2d",
            "upsample_nearest3d",
            "_upsample_nearest_exact1d",
            "_upsample_nearest_exact2d",
            "_upsample_nearest_exact3d",
        )
        for overload in ("default", "vec")
    },
    **{
        f"aten.{name}.{overload}": _linear_rule("cubic" in name, overload == "vec")
        for name in (
            "upsample_linear1d",
            "upsample_bilinear2d",
            "upsample_trilinear3d",
            "upsample_bicubic2d",
        )
        for overload in ("default", "vec")
    },
}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = {
    NormalizeOp: "a step of the DSL; the same in ATen arrives as sub and div",
    ResampleTapsOp: "built by the decomposition of nn.resize",
}
"""op class -> why no ATen operator becomes it."""
