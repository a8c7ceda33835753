"""`torch.nn.functional.interpolate`: images resized one axis after another.

The source positions follow from the sizes alone, so they are computed here, in the
precision of PyTorch's CPU kernels. The other image ops come from the DSL, since ATen has no
operator that names its reference.
"""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import torch
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn.base import int_array
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.image import NormalizeOp, ResizeOp
from devproc.dialects.nn.pointwise import CastOp
from devproc.dialects.nn.resampling.resample import ResampleOp, ResampleTapsOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    shape_of,
)
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.frontends.torch_export.places.indices import constant_line
from devproc.frontends.torch_export.windows.resampling import resampled
from devproc.ir.types import DTYPES, is_float, tensor_of
from devproc.ir.weights.table import Array
from devproc.reference.taps.torch_taps import (
    antialiasing_taps,
    interpolation_taps,
    scale_of,
)


def _nearest_places(old: int, new: int, given: float | None, exact: bool) -> Array:
    """The source position of each output element, in float32 as PyTorch computes it."""
    if old == new and not exact:
        return np.arange(new)
    place = np.arange(new).astype(np.float32)
    if exact:
        place = place + np.float32(0.5)
    source = np.floor(place * scale_of(old, new, given, np.float32))
    return np.minimum(source.astype(np.int64), old - 1)


def _axes(x: SSAValue, scales: Any) -> list[tuple[int, float | None]]:
    """The spatial axes, each with its scale factor; None where the size was given."""
    axes = range(2, len(shape_of(x)))
    factors = [None if g is None else float(g) for g in scales or [None] * len(axes)]
    return list(zip(axes, factors, strict=True))


def _nearest_axes(b: GraphBuilder, x: SSAValue, scales: Any, exact: bool) -> SSAValue:
    """All axes in one gather."""
    shape, result = shape_of(x), b.result.get_shape()
    axes: list[int] = []
    lines: list[SSAValue] = []
    for axis, given in _axes(x, scales):
        places = _nearest_places(shape[axis], result[axis], given, exact)
        if not np.array_equal(places, np.arange(shape[axis])):
            line = torch.from_numpy(places)
            axes.append(axis)
            lines.append(constant_line(b, line, axis, len(shape)))
    return b.emit(GatherOp.at(x, lines, axes)) if axes else x


Taps = Callable[
    [int, int, float | None, bool, bool, type[np.floating[Any]]], tuple[Array, Array]
]


def _linear_axes(
    b: GraphBuilder,
    x: SSAValue,
    align_corners: bool,
    scales: Any,
    cubic: bool,
    taps_of: Taps = interpolation_taps,
) -> SSAValue:
    """The last axis first, as in PyTorch. Half precision is computed in float32 and
    rounded once; uint8 is rounded after each axis.
    """
    element = tensor_of(x).element_type
    # The weights for uint8 are computed in float64, then rounded.
    double = element in (DTYPES["float64"], DTYPES["uint8"])
    if not double and not is_float(element):
        raise Refusal(
            "of the integers only uint8 can be interpolated",
            "cast to float32 before, round and cast back after",
        )
    value = x if double else b.cast(x, DTYPES["float32"])
    kind = cast(type[np.floating[Any]], np.float64 if double else np.float32)
    result = b.result.get_shape()
    for axis, given in reversed(_axes(x, scales)):
        old = shape_of(value)[axis]
        first, taps = taps_of(old, result[axis], given, align_corners, cubic, kind)
        if old == result[axis] and np.array_equal(first, np.arange(old)):
            continue
        value = resampled(b, value, axis, first, taps)
    return b.cast(value, element)


Resize = Callable[[GraphBuilder, SSAValue, bool, Any], SSAValue]
"""Resizes to the node's shape; takes `align_corners` and the scale factors."""


def _upsampling(
    names: str, resize: Resize, *makes: type[Operation], aligns: bool = True
) -> dict[str, ImportRule]:
    """Rows for both overloads of operators: `vec` takes the scale factors as a list,
    `default` one by one. Those with `aligns` have a parameter `align_corners`.
    """

    def rule(is_list: bool) -> ImportRule:
        def build(
            b: GraphBuilder, x: SSAValue, size: Sequence[int] | None, *rest: Any
        ) -> SSAValue:
            align_corners, *scales = rest if aligns else (False, *rest)
            return resize(b, x, align_corners, scales[0] if is_list else scales)

        return ImportRule(build, makes)

    return {
        f"aten.{name}.{overload}": rule(overload == "vec")
        for name in names.split()
        for overload in ("default", "vec")
    }


def _nearest(exact: bool) -> Resize:
    return lambda b, x, align_corners, scales: _nearest_axes(b, x, scales, exact)


def _linear(cubic: bool) -> Resize:
    def resize(
        b: GraphBuilder, x: SSAValue, align_corners: bool, scales: Any
    ) -> SSAValue:
        return _linear_axes(b, x, align_corners, scales, cubic)

    return resize


def _antialiased(mode: str) -> Resize:
    def resize(
        b: GraphBuilder, x: SSAValue, align_corners: bool, scales: Any
    ) -> SSAValue:
        plain = not align_corners and not any(scales or ())
        if plain and tensor_of(x).element_type == DTYPES["float32"]:
            properties: dict[str, Attribute] = {
                "axes": int_array([2, 3]),
                "size": int_array(b.result.get_shape()[2:]),
                "mode": StringAttr(mode),
                "like": StringAttr("torchvision"),
            }
            return b.emit(ResizeOp.build_op([x], properties))
        cubic = mode == "bicubic"
        return _linear_axes(b, x, align_corners, scales, cubic, antialiasing_taps)

    return resize


_AXES = (ResampleOp, CastOp)
_ANTIALIASED = (ResizeOp, ResampleOp)

IMPORTS: dict[str, ImportRule] = {
    **_upsampling("_upsample_bicubic2d_aa", _antialiased("bicubic"), *_ANTIALIASED),
    **_upsampling("_upsample_bilinear2d_aa", _antialiased("bilinear"), *_ANTIALIASED),
    **_upsampling(
        "upsample_nearest1d upsample_nearest2d upsample_nearest3d",
        *(_nearest(False), GatherOp),
        aligns=False,
    ),
    **_upsampling(
        "_upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d",
        *(_nearest(True), GatherOp),
        aligns=False,
    ),
    **_upsampling(
        "upsample_linear1d upsample_bilinear2d upsample_trilinear3d",
        *(_linear(False), *_AXES),
    ),
    **_upsampling("upsample_bicubic2d", _linear(True), *_AXES),
}
"""ATen overload -> import rule."""

NO_IMPORT: dict[type[Operation], str] = {
    NormalizeOp: "a step of the DSL; the same in ATen arrives as sub and div",
    ResampleTapsOp: "built by the decomposition of nn.resize",
}
"""op class -> why no ATen operator is imported as it."""
