"""Steps on pixel values: range and dtype."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, StringAttr, UnitAttr
from xdsl.ir import TypeAttribute
from xdsl.irdl import IRDLOperation, opt_prop_def, prop_def

from devproc.dialects.nn import image, pointwise
from devproc.dialects.nn.base import (
    Properties,
    describe,
    float_of,
    floats,
    int_attr,
    require,
    text_of,
)
from devproc.dialects.pipe.base.layout import (
    describe_value,
    layout_of,
    require_value,
    with_layout,
)
from devproc.dialects.pipe.base.step import PixelwiseOp
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, dtype_name, is_bool, is_float, tensor

ROUNDINGS = ("truncate", "nearest_even", "half_up", "floor", "ceil")
"""Rounding modes from floats to integers; "truncate" is C's cast."""


@op_definition
class CastOp(PixelwiseOp):
    """Conversion to another dtype, by default with C's rules (see `nn.cast`).

    `rounding` is the rounding of floats to integers (see `ROUNDINGS`). With `saturate`
    values are clamped to the integer's range and NaN becomes 0; else they wrap.

    `%r = pipe.cast %x to f32 : (tensor<2xui8>) -> tensor<2xf32>`

    ```mlir
    %r = pipe.cast %x to ui8 rounding "nearest_even" saturate
       : (tensor<2xf32>) -> tensor<2xui8>
    ```
    """

    name = "pipe.cast"

    dtype = prop_def(TypeAttribute)
    rounding = opt_prop_def(StringAttr)
    saturate = opt_prop_def(UnitAttr)

    assembly_format = (
        "$operand `to` $dtype (`rounding` $rounding^)? (`saturate` $saturate^)?"
        " attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        (result,) = pointwise.CastOp.infer(operands, {"dtype": properties["dtype"]})
        x, to = operands[0], result.element_type
        whole = not is_float(to) and not is_bool(to)
        if "rounding" in properties:
            text_of("rounding", properties["rounding"], ROUNDINGS)
            require(
                whole and is_float(x.element_type),
                f"there is nothing to round between {describe(x)} and {describe(result)}",
            )
        require(
            whole or "saturate" not in properties,
            f"only integers saturate, not {describe(result)}",
        )
        return [with_layout(result, layout_of(x))]


LARGEST_STD = 2.0
"""The largest accepted std of pixels from 0 to 1 (at most 0.5; 1 for no scaling)."""


@op_definition
class NormalizeOp(PixelwiseOp):
    """(x * scale - mean) / std per channel in float32.

    Without a scale uint8 is divided by 255, uint16 by 65535, and floats are unchanged;
    mean and std of pixels from 0 to 255 are then rejected. A scale of 1 / n divides by
    n, so that 1 / 255 reproduces torchvision.

    ```mlir
    %r = pipe.normalize %x mean [127.5] std [128.0] scale 1.0 : f64
       : (tensor<4x4x1xui8, #pipe.axes<"HWC">>) -> tensor<4x4x1xf32, #pipe.axes<"HWC">>
    ```
    """

    name = "pipe.normalize"

    mean = prop_def(DenseArrayBase)
    std = prop_def(DenseArrayBase)
    scale = opt_prop_def(FloatAttr)

    assembly_format = (
        "$operand `mean` custom<Floats>($mean) `std` custom<Floats>($std)"
        " (`scale` $scale^)? attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        (result,) = image.NormalizeOp.infer(
            operands, normalize_properties(x, properties)
        )
        if "scale" in properties:
            scale = float_of(properties["scale"])
            require(
                scale != 0 and isfinite(scale) and isfinite(1 / scale),
                f"scale is {scale:g}",
                "give a number to multiply with, 1 for pixels as they are",
            )
        else:
            _require_unit_range(
                x, floats(properties["mean"]), floats(properties["std"])
            )
        return [with_layout(result, layout_of(x))]


def _require_unit_range(
    x: AnyTensor, mean: Sequence[float], std: Sequence[float]
) -> None:
    """Require mean and std for pixels divided by the largest value of their dtype."""
    brightest = image.BRIGHTEST.get(dtype_name(x.element_type))
    if brightest is None:
        return
    fits = max(mean) <= 1 and max(map(abs, std)) <= LARGEST_STD
    top = f"{brightest:g}"
    require(
        fits,
        f"{describe_value(x)} is divided by {top} first, and mean {list(mean)} with std"
        f" {list(std)} is not of numbers from 0 to 1",
        f"give scale=1 to normalize pixels from 0 to {top} as they are, or divide mean and"
        f" std by {top}; scale=1 / {top} if they are meant as they stand",
    )


def divisor_of(scale: float) -> float | None:
    """The integer whose reciprocal is the scale; None for other scales."""
    whole = round(1 / scale)
    return float(whole) if whole and 1 / whole == scale else None


def normalize_properties(x: AnyTensor, properties: Properties) -> Properties:
    """The properties of the `nn.normalize` that a `pipe.normalize` of `x` stands for."""
    layout = layout_of(x)
    require(
        layout is not None, f"normalize needs an image layout, got {describe_value(x)}"
    )
    # `find` returns -1 without an axis C: there is a single channel.
    named = {name: properties[name] for name in ("mean", "std")}
    return {"axis": int_attr((layout or "").find("C")), **named}


def real_type(type_: AnyTensor) -> AnyTensor:
    """The dtype of arithmetic on pixels: float32, or their own floating-point dtype."""
    element = type_.element_type
    require(not is_bool(element), f"{describe_value(type_)} is not numeric")
    element = element if is_float(element) else DTYPES["float32"]
    return with_layout(tensor(element, type_.get_shape()), layout_of(type_))


@op_definition
class ScaleOp(PixelwiseOp):
    """x * factor + offset, each rounded once, in float32 or the float that x is; one
    number, or one for each channel.

    ```mlir
    %r = pipe.scale %x factor [0.5] offset [-1.0]
       : (tensor<4x4xui8, #pipe.axes<"HW">>) -> tensor<4x4xf32, #pipe.axes<"HW">>
    ```
    """

    name = "pipe.scale"

    factor = prop_def(DenseArrayBase)
    offset = prop_def(DenseArrayBase)

    assembly_format = (
        "$operand `factor` custom<Floats>($factor) `offset` custom<Floats>($offset)"
        " attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        layout = layout_of(x) or ""
        channels = x.get_shape()[layout.index("C")] if "C" in layout else 1
        for name in ("factor", "offset"):
            count = len(cast(DenseArrayBase, properties[name]))
            require(
                count in (1, channels),
                f"{describe_value(x)} has {channels} channels, but {name} has {count} "
                "values",
            )
        return [real_type(x)]


@op_definition
class ClampOp(PixelwiseOp):
    """Clamps values to `from` .. `to`; NaN is preserved.

    ```mlir
    %r = pipe.clamp %x from 0.000000e+00 : f64 to 1.000000e+00 : f64
       : (tensor<4xf32>) -> tensor<4xf32>
    ```
    """

    name = "pipe.clamp"

    low = prop_def(FloatAttr)
    high = prop_def(FloatAttr)

    assembly_format = (
        "$operand `from` $low `to` $high attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        low, high = (float_of(properties[k]) for k in ("low", "high"))
        require(low <= high, f"no number is between {low:g} and {high:g}")
        require(not is_bool(x.element_type), f"{describe_value(x)} is not numeric")
        for value in (low, high):
            require_value("clamp", x, value)
        return [x]


@op_definition
class GammaOp(PixelwiseOp):
    """gain * x ** gamma of pixels from 0 to 1 (torchvision's `adjust_gamma`).

    Integers represent x times their largest value; the result is scaled by the number
    of levels minus 0.001 and rounded down. A gain other than 1 clamps it to 0 .. 1.

    ```mlir
    %r = pipe.gamma %x by 2.200000e+00 : f64 gain 1.000000e+00 : f64
       : (tensor<4xui8>) -> tensor<4xui8>
    ```
    """

    name = "pipe.gamma"

    gamma = prop_def(FloatAttr)
    gain = prop_def(FloatAttr)

    assembly_format = (
        "$operand `by` $gamma `gain` $gain attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        gamma = float_of(properties["gamma"])
        require(gamma >= 0, f"gamma must not be negative, got {gamma:g}")
        require(
            is_float(x.element_type)
            or x.element_type in (DTYPES["uint8"], DTYPES["uint16"]),
            f"gamma takes uint8, uint16 or a float, got {describe_value(x)}",
        )
        return [x]


OPS: Sequence[type[IRDLOperation]] = (CastOp, ClampOp, GammaOp, NormalizeOp, ScaleOp)
