"""Images resized by `torch.nn.functional.interpolate`: one axis after another.

Where each result comes from follows from the sizes alone, so it is computed here, in
the precision of PyTorch's CPU kernels. The other image ops come from the DSL, since ATen
has no operator that names its reference.
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
from devproc.frontends.torch_export.windows.resampling import resampled
from devproc.ir.types import DTYPES, is_float, tensor_of
from devproc.ir.weights.table import Array
from devproc.reference.taps.torch_taps import (
    antialiasing_taps,
    interpolation_taps,
    scale_of,
)


def _nearest_places(old: int, new: int, given: float | None, exact: bool) -> Array:
    """Where each output element comes from, in float32 as PyTorch has it."""
    if old == new and not exact:
        return np.arange(new)
    place = np.arange(new).astype(np.float32)
    if exact:
        place = place + np.float32(0.5)
    source = np.floor(place * scale_of(old, new, given, np.float32))
    return np.minimum(source.astype(np.int64), old - 1)


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
    """The last axis first, as PyTorch nests them. Half precision is computed in float32
    and rounded once; uint8 is rounded on each axis.
    """
    element = tensor_of(x).element_type
    # The weights of uint8 are computed in float64, and then rounded.
    double = element in (DTYPES["float64"], DTYPES["uint8"])
    if not double and not is_float(element):
        raise Refusal(
            "of the integers only uint8 can be interpolated",
            "cast to float32 before, round and cast back behind",
        )
    value = x if double else b.cast(x, DTYPES["float32"])
    kind = cast(type[np.floating[Any]], np.float64 if double else np.float32)
    result = b.result.get_shape()
    for axis, given in reversed(_axes(b, x, scales)):
        old = shape_of(value)[axis]
        first, taps = taps_of(old, result[axis], given, align_corners, cubic, kind)
        if old == result[axis] and np.array_equal(first, np.arange(old)):
            continue
        value = resampled(b, value, axis, first, taps)
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


def _antialiased(mode: str, vec: bool) -> ImportRule:
    def build(
        b: GraphBuilder,
        x: SSAValue,
        size: Sequence[int] | None,
        align_corners: bool,
        *scales: Any,
    ) -> SSAValue:
        given = scales[0] if vec else scales
        plain = not align_corners and not any(given or ())
        if plain and tensor_of(x).element_type == DTYPES["float32"]:
            properties: dict[str, Attribute] = {
                "axes": int_array([2, 3]),
                "size": int_array(b.result.get_shape()[2:]),
                "mode": StringAttr(mode),
                "like": StringAttr("torchvision"),
            }
            return b.emit(ResizeOp.build_op([x], properties))
        cubic = mode == "bicubic"
        return _linear_axes(b, x, align_corners, given, cubic, antialiasing_taps)

    return ImportRule(build, (ResizeOp, ResampleOp))


IMPORTS: dict[str, ImportRule] = {
    "aten._upsample_bicubic2d_aa.default": _antialiased("bicubic", False),
    "aten._upsample_bicubic2d_aa.vec": _antialiased("bicubic", True),
    "aten._upsample_bilinear2d_aa.default": _antialiased("bilinear", False),
    "aten._upsample_bilinear2d_aa.vec": _antialiased("bilinear", True),
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
