"""Conversions between float, int32 sums and 8-bit integers.

The numbers that scale are operands, as in TOSA 1.0; they broadcast to the input (NumPy's
rule), so that there may be one for each index of an axis.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    broadcast_shapes,
    describe,
    int_attr,
    int_of,
    require,
)
from devproc.dialects.nn.pointwise import PointwiseOp
from devproc.ir.directives import Int
from devproc.ir.dtypes import format_shape
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, highest, lowest, tensor
from devproc.ir.weight_format import WeightFormat

F32, I8, U8 = DTYPES["float32"], DTYPES["int8"], DTYPES["uint8"]
I32, F16 = DTYPES["int32"], DTYPES["float16"]


def _require_scales(name: str, operands: Sequence[AnyTensor]) -> None:
    """Require operands after the first that broadcast to it."""
    shapes = [operand.get_shape() for operand in operands]
    require(
        broadcast_shapes(shapes) == shapes[0],
        f"the operands of {name} must broadcast to {format_shape(shapes[0])}, got "
        + " and ".join(map(describe, operands[1:])),
    )


def _require_dtype(what: str, type_: AnyTensor, *known: Attribute) -> None:
    names = " or ".join(describe(tensor(k, ())).split()[0] for k in known)
    require(
        type_.element_type in known, f"{what} must be {names}, got {describe(type_)}"
    )


def _clamped(properties: Properties, dtypes: Sequence[Attribute]) -> Attribute:
    """The dtype of a result that is clamped to `low` and `high`."""
    dtype = properties["dtype"]
    require(dtype in dtypes, f"the result cannot be {dtype}")
    low, high = int_of(properties["low"]), int_of(properties["high"])
    require(
        lowest(dtype) <= low <= high <= highest(dtype),
        f"{dtype} cannot be clamped to {low} and {high}",
    )
    return dtype


@op_definition
class RescaleOp(PointwiseOp):
    """RESCALE of TOSA 1.0 with SINGLE_ROUND (`devproc.quantized.rescale`):
    `((x - input_zero) * multiplier + (1 << (shift - 1))) >> shift` in 64 bits, plus
    `output_zero`, clamped to `low` and `high`.

    A primitive because a device with integer units computes it in one step.

    From int8 or int32 to int8 or int32; only int8 has zero points. Multipliers are from
    0 to 2**31 - 1, shifts from 2 to 62; the result is undefined for others.

    ```mlir
    %r = nn.rescale %x, %m, %s zero 0 to i8 zero 3 clamp -128 127
       : (tensor<2x4x5xi32>, tensor<4x1xi32>, tensor<4x1xi8>) -> tensor<2x4x5xi8>
    ```
    """

    name = "nn.rescale"

    input = operand_def(TensorType)
    multiplier = operand_def(TensorType)
    shift = operand_def(TensorType)
    input_zero = prop_def(IntegerAttr)
    dtype = prop_def(TypeAttribute)
    output_zero = prop_def(IntegerAttr)
    low = prop_def(IntegerAttr)
    high = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$input `,` $multiplier `,` $shift `zero` custom<Int>($input_zero)"
        " `to` $dtype `zero` custom<Int>($output_zero)"
        " `clamp` custom<Int>($low) custom<Int>($high)"
        " attr-dict `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, multiplier, shift = operands
        _require_dtype("the input of nn.rescale", x, I8, I32)
        _require_dtype("the multiplier", multiplier, I32)
        _require_dtype("the shift", shift, I8)
        _require_scales(cls.name, operands)
        dtype = _clamped(properties, (I8, I32))
        for key, of in (("input_zero", x.element_type), ("output_zero", dtype)):
            zero = int_of(properties[key])
            require(not zero or of == I8, f"only int8 has zero points, got {zero}")
            require(-128 <= zero <= 127, f"{key} is no int8: {zero}")
        return [tensor(dtype, x.get_shape())]


@op_definition
class QuantizeOp(PointwiseOp):
    """`x * factor` rounded half to even, plus `zero`, clamped to `low` and `high`
    (`devproc.quantized.quantize`); float32 to int8 or uint8.

    A primitive because a device with integer units computes it in one step.

    The factor is the reciprocal of the scale. NaN becomes 0.

    ```mlir
    %r = nn.quantize %x by %f to i8 clamp -128 127
       : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi8>
    ```
    """

    name = "nn.quantize"

    input = operand_def(TensorType)
    factor = operand_def(TensorType)
    zero = opt_operand_def(TensorType)
    dtype = prop_def(TypeAttribute)
    low = prop_def(IntegerAttr)
    high = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$input `by` $factor (`zero` $zero^)? `to` $dtype"
        " `clamp` custom<Int>($low) custom<Int>($high)"
        " attr-dict `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, factor, *zero = operands
        _require_dtype("the input of nn.quantize", x, F32)
        _require_dtype("the factor", factor, F32)
        for type_ in zero:
            _require_dtype("the zero point", type_, I32)
        _require_scales(cls.name, operands)
        return [tensor(_clamped(properties, (I8, U8)), x.get_shape())]


@op_definition
class DequantizeOp(PointwiseOp):
    """`(x - zero) * scale`, each step in float32 (`devproc.quantized.dequantize`), of
    int8, uint8 or int32. The scale is float32 or float16.

    A primitive because a device with integer units computes it in one step.

    ```mlir
    %r = nn.dequantize %x by %s : (tensor<2x3xi8>, tensor<f32>) -> tensor<2x3xf32>
    ```
    """

    name = "nn.dequantize"

    input = operand_def(TensorType)
    scale = operand_def(TensorType)
    zero = opt_operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = (
        "$input `by` $scale (`zero` $zero^)?"
        " attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, scale, *zero = operands
        _require_dtype("the input of nn.dequantize", x, I8, U8, I32)
        _require_dtype("the scale", scale, F32, F16)
        for type_ in zero:
            _require_dtype("the zero point", type_, I32)
        _require_scales(cls.name, operands)
        return [tensor(F32, x.get_shape())]


@op_definition
class QuantizeGroupsOp(NNOp):
    """A weight (N, K) as integers in groups of consecutive terms, each with a scale:
    `weight = scale * number`, by round-to-nearest as Q8_0 (8 bits, -127 to 127) and Q4_0
    (4 bits, -8 to 7) of GGUF. Only in `@prepare`.

    With `zero`, numbers are unsigned, and a group has a zero point too:
    `weight = scale * (number - zero)`. They cover the range of the group and 0, as PyTorch's
    affine quantization; the scale is rounded to float16 first.

    One op, since these roundings, and the sign of a scale of 4 bits, which is that of the
    group's largest number, would take a dozen.

    Numbers are stored as int8 or uint8 (N, K / group, group), scales as float16 and zero
    points as int32 (N, K / group, 1). `nn.dequantize` gives the weight.

    ```mlir
    %q, %s = nn.quantize_groups %w bits 4 group 32
       : (tensor<3x64xf32>) -> (tensor<3x2x32xi8>, tensor<3x2x1xf16>)
    %u, %t, %z = nn.quantize_groups %w bits 4 group 32 zero
       : (tensor<3x64xf32>) -> (tensor<3x2x32xui8>, tensor<3x2x1xf16>, tensor<3x2x1xi32>)
    ```
    """

    name = "nn.quantize_groups"

    weight = operand_def(TensorType)
    bits = prop_def(IntegerAttr)
    group = prop_def(IntegerAttr)
    zero = opt_prop_def(UnitAttr)
    numbers = result_def(TensorType)
    scales = result_def(TensorType)
    zeros = opt_result_def(TensorType)

    assembly_format = (
        "$weight `bits` custom<Int>($bits) `group` custom<Int>($group)"
        " (`zero` $zero^)? attr-dict `:` functional-type(operands, results)"
    )

    irdl_options = (ParsePropInAttrDict(),)

    custom_directives = (Int,)

    traits = traits_def(Pure())

    @classmethod
    def into(cls, matrix: SSAValue, stored: WeightFormat) -> QuantizeGroupsOp:
        """A matrix in a format of integers."""
        bits, group = int_attr(stored.bits), int_attr(stored.group)
        sizes: dict[str, Attribute] = {"bits": bits, "group": group}
        if stored.has_zeros:
            sizes["zero"] = UnitAttr()
        return cls.build_op([matrix], sizes)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        (weight,) = operands
        bits, group = int_of(properties["bits"]), int_of(properties["group"])
        _require_dtype("the weight", weight, F32)
        shape = weight.get_shape()
        require(bits in (4, 8), f"numbers have 4 or 8 bits, not {bits}")
        require(
            len(shape) == 2 and group > 0 and shape[1] % group == 0,
            f"{describe(weight)} is not an (N, K) with K in groups of {group}",
        )
        outer = (shape[0], shape[1] // group)
        numbers, ones = (*outer, group), (*outer, 1)
        if "zero" in properties:
            return [tensor(U8, numbers), tensor(F16, ones), tensor(I32, ones)]
        return [tensor(I8, numbers), tensor(F16, ones)]


OPS: Sequence[type[IRDLOperation]] = (
    DequantizeOp,
    QuantizeGroupsOp,
    QuantizeOp,
    RescaleOp,
)
