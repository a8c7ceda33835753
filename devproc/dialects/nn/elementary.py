"""Elementary functions of floating-point numbers, as in `math.h`.

Each is a primitive, because a composition of the others would lose accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.irdl import IRDLOperation

from devproc.dialects.nn.base import Properties, require
from devproc.dialects.nn.pointwise import BinaryOp, FloatUnaryOp
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, is_float


@op_definition
class CeilOp(FloatUnaryOp):
    """The least integer not below x (`aten.ceil`).

    A primitive because it is one instruction, and preserves the sign of zero.
    """

    name = "nn.ceil"


@op_definition
class FloorOp(FloatUnaryOp):
    """The greatest integer not above x (`aten.floor`).

    A primitive because it is one instruction, and preserves the sign of zero.
    """

    name = "nn.floor"


@op_definition
class RoundOp(FloatUnaryOp):
    """The nearest integer, ties to even (`aten.round`).

    A primitive because it is one instruction; floor(x + 0.5) sends ties up.
    """

    name = "nn.round"


@op_definition
class TruncOp(FloatUnaryOp):
    """The integer part (`aten.trunc`).

    A primitive because it is one instruction, and preserves the sign of zero.
    """

    name = "nn.trunc"


@op_definition
class Exp2Op(FloatUnaryOp):
    """2 to the power of x (`aten.exp2`).

    A primitive because exp(x * log(2)) rounds the exponent first.
    """

    name = "nn.exp2"


@op_definition
class Expm1Op(FloatUnaryOp):
    """exp(x) - 1 without cancellation near 0 (`aten.expm1`).

    A primitive because exp(x) - 1 cancels near 0.
    """

    name = "nn.expm1"


@op_definition
class LogOp(FloatUnaryOp):
    """Natural logarithm; NaN below zero (`aten.log`).

    A primitive because no other op has its values.
    """

    name = "nn.log"


@op_definition
class Log1pOp(FloatUnaryOp):
    """log(1 + x) without cancellation near 0 (`aten.log1p`).

    A primitive because log(1 + x) cancels near 0.
    """

    name = "nn.log1p"


@op_definition
class Log2Op(FloatUnaryOp):
    """Binary logarithm (`aten.log2`).

    A primitive because log(x) / log(2) is not exact at powers of two.
    """

    name = "nn.log2"


@op_definition
class Log10Op(FloatUnaryOp):
    """Decimal logarithm (`aten.log10`).

    A primitive because log(x) / log(10) is not exact at powers of ten.
    """

    name = "nn.log10"


@op_definition
class SinOp(FloatUnaryOp):
    """Sine (`aten.sin`).

    A primitive because no other op has its values; large x need a range reduction.
    """

    name = "nn.sin"


@op_definition
class CosOp(FloatUnaryOp):
    """Cosine (`aten.cos`).

    A primitive because sin(x + pi / 2) loses digits for large x.
    """

    name = "nn.cos"


@op_definition
class TanOp(FloatUnaryOp):
    """Tangent (`aten.tan`).

    A primitive because sin(x) / cos(x) rounds three times.
    """

    name = "nn.tan"


@op_definition
class AsinOp(FloatUnaryOp):
    """Inverse sine; NaN outside of [-1, 1] (`aten.asin`).

    A primitive because atan(x / sqrt(1 - x * x)) loses digits near 1.
    """

    name = "nn.asin"


@op_definition
class AcosOp(FloatUnaryOp):
    """Inverse cosine; NaN outside of [-1, 1] (`aten.acos`).

    A primitive because pi / 2 - asin(x) loses digits near 1.
    """

    name = "nn.acos"


@op_definition
class AtanOp(FloatUnaryOp):
    """Inverse tangent (`aten.atan`).

    A primitive because no other op has its values near 0 and at infinity.
    """

    name = "nn.atan"


@op_definition
class SinhOp(FloatUnaryOp):
    """Hyperbolic sine (`aten.sinh`).

    A primitive because (exp(x) - exp(-x)) / 2 cancels near 0.
    """

    name = "nn.sinh"


@op_definition
class CoshOp(FloatUnaryOp):
    """Hyperbolic cosine (`aten.cosh`).

    A primitive because (exp(x) + exp(-x)) / 2 overflows too early.
    """

    name = "nn.cosh"


@op_definition
class TanhOp(FloatUnaryOp):
    """Hyperbolic tangent (`aten.tanh`).

    A primitive because quotients of exponentials overflow and cancel near 0.
    """

    name = "nn.tanh"


@op_definition
class AsinhOp(FloatUnaryOp):
    """Inverse hyperbolic sine (`aten.asinh`).

    A primitive because log(x + sqrt(x * x + 1)) loses digits near 0 and overflows.
    """

    name = "nn.asinh"


@op_definition
class AcoshOp(FloatUnaryOp):
    """Inverse hyperbolic cosine; NaN below 1 (`aten.acosh`).

    A primitive because log(x + sqrt(x * x - 1)) loses digits near 1 and overflows.
    """

    name = "nn.acosh"


@op_definition
class AtanhOp(FloatUnaryOp):
    """Inverse hyperbolic tangent; NaN outside of [-1, 1] (`aten.atanh`).

    A primitive because log((1 + x) / (1 - x)) / 2 loses digits near 0.
    """

    name = "nn.atanh"


@op_definition
class ErfOp(FloatUnaryOp):
    """Error function (`aten.erf`).

    A primitive because no other op has its values.
    """

    name = "nn.erf"


@op_definition
class PowOp(BinaryOp):
    """x to the power of y (`aten.pow`); IEEE 754's `pow`, or integers that wrap.

    A primitive because exp(y * log(x)) loses digits and does not support negative x;
    integers wrap around.

    An integer to a negative power is 0, except for the bases 1 and -1.

    `%r = nn.pow %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`
    """

    name = "nn.pow"


@op_definition
class Atan2Op(BinaryOp):
    """The angle of the point (rhs, lhs), in (-pi, pi] (`aten.atan2`).

    A primitive because atan(y / x) loses the quadrant and overflows.
    """

    name = "nn.atan2"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require(
            is_float(operands[0].element_type),
            "nn.atan2 takes floating-point operands; cast integers first",
        )
        return super().infer(operands, properties)


UNARY: Sequence[type[FloatUnaryOp]] = (
    AcosOp,
    AcoshOp,
    AsinOp,
    AsinhOp,
    AtanOp,
    AtanhOp,
    CeilOp,
    CosOp,
    CoshOp,
    ErfOp,
    Exp2Op,
    Expm1Op,
    FloorOp,
    Log10Op,
    Log1pOp,
    Log2Op,
    LogOp,
    RoundOp,
    SinOp,
    SinhOp,
    TanOp,
    TanhOp,
    TruncOp,
)
"""The functions of one operand."""

OPS: Sequence[type[IRDLOperation]] = (*UNARY, PowOp, Atan2Op)
