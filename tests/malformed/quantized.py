"""Malformed conversions of quantized numbers."""

from tests.malformed.cases import Bad

RESCALE = "nn.rescale %0, %1, %2 zero {} to {} zero {} clamp {} {}"
QUANTIZE = "nn.quantize %0 by %1 to {} clamp {} {}"
DEQUANTIZE = "nn.dequantize %0 by %1"
SCALED = ("2x4xi32", "i32", "i8")


def rescale(
    message: str,
    operands: tuple[str, ...] = SCALED,
    zeros: tuple[int, int] = (0, 0),
    dtype: str = "i8",
    limits: tuple[int, int] = (-128, 127),
    result: str = "2x4xi8",
) -> Bad:
    """A rescale of one multiplier."""
    text = RESCALE.format(zeros[0], dtype, zeros[1], *limits)
    return Bad(text, operands, (result,), message)


def quantize(
    message: str,
    operands: tuple[str, ...] = ("2x4xf32", "f32"),
    dtype: str = "i8",
    limits: tuple[int, int] = (-128, 127),
    result: str = "2x4xi8",
) -> Bad:
    """A quantization, with a zero point if there are three operands."""
    text = QUANTIZE.format(dtype, *limits)
    if len(operands) > 2:
        text = text.replace("%1", "%1 zero %2")
    return Bad(text, operands, (result,), message)


CASES = (
    rescale("the input of nn.rescale must be int8 or int32", ("2x4xi16", "i32", "i8")),
    rescale("the input of nn.rescale must be int8 or int32", ("2x4xui8", "i32", "i8")),
    rescale("the multiplier must be int32", ("2x4xi32", "i16", "i8")),
    rescale("the shift must be int8", ("2x4xi32", "i32", "i32")),
    rescale("must broadcast to (2, 4)", ("2x4xi32", "3x1x1xi32", "i8")),
    rescale("must broadcast to (1, 4)", ("1x4xi32", "2x1xi32", "i8")),
    rescale("do not broadcast", ("2x4xi32", "3xi32", "i8")),
    rescale("the result cannot be i16", dtype="i16", result="2x4xi16"),
    rescale("i8 cannot be clamped to -129 and 127", limits=(-129, 127)),
    rescale("i8 cannot be clamped to 3 and 2", limits=(3, 2)),
    rescale("only int8 has zero points, got 3", zeros=(3, 0)),
    rescale(
        "only int8 has zero points, got 5",
        zeros=(0, 5),
        dtype="i32",
        result="2x4xi32",
    ),
    rescale("output_zero is no int8: 128", zeros=(0, 128)),
    rescale("result 0 must be int8 (2, 4)", result="2x4xi32"),
    quantize("the input of nn.quantize must be float32", ("2x4xf64", "f32")),
    quantize("the factor must be float32", ("2x4xf32", "f64")),
    quantize("the zero point must be int32", ("2x4xf32", "f32", "i8")),
    quantize("must broadcast to (2, 4)", ("2x4xf32", "3x2x4xf32")),
    quantize("the result cannot be i32", dtype="i32", result="2x4xi32"),
    quantize(
        "ui8 cannot be clamped to -1 and 255",
        ("2x4xf32", "f32"),
        "ui8",
        (-1, 255),
        "2x4xui8",
    ),
    quantize("result 0 must be int8 (2, 4)", result="2x4xui8"),
    Bad(DEQUANTIZE, ("2x4xi16", "f32"), ("2x4xf32",), "must be int8 or uint8 or int32"),
    Bad(DEQUANTIZE, ("2x4xi8", "bf16"), ("2x4xf32",), "the scale must be float32"),
    Bad(
        f"{DEQUANTIZE} zero %2",
        ("2x4xi8", "f32", "i64"),
        ("2x4xf32",),
        "the zero point must be int32",
    ),
    Bad(DEQUANTIZE, ("2x4xi8", "3xf32"), ("2x4xf32",), "do not broadcast"),
    Bad(DEQUANTIZE, ("2x4xi8", "f32"), ("2x4xi32",), "result 0 must be float32"),
)
