"""Elementary functions of floating-point numbers, as `math.h` has them.

Each is a primitive of its own: composed of the others it would lose accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.irdl import IRDLOperation, irdl_op_definition

from devproc.dialects.nn.base import Properties, require
from devproc.dialects.nn.pointwise import BinaryOp, FloatUnaryOp
from devproc.ir.types import AnyTensor, is_float


@irdl_op_definition
class CeilOp(FloatUnaryOp):
    """The least integer not below x (`aten.ceil`)."""

    name = "nn.ceil"


@irdl_op_definition
class FloorOp(FloatUnaryOp):
    """The greatest integer not above x (`aten.floor`)."""

    name = "nn.floor"


@irdl_op_definition
class RoundOp(FloatUnaryOp):
    """The nearest integer, ties to even (`aten.round`)."""

    name = "nn.round"


@irdl_op_definition
class TruncOp(FloatUnaryOp):
    """The integer part (`aten.trunc`)."""

    name = "nn.trunc"


@irdl_op_definition
class Exp2Op(FloatUnaryOp):
    """2 to the power of x (`aten.exp2`)."""

    name = "nn.exp2"


@irdl_op_definition
class Expm1Op(FloatUnaryOp):
    """exp(x) - 1 without cancellation near 0 (`aten.expm1`)."""

    name = "nn.expm1"


@irdl_op_definition
class LogOp(FloatUnaryOp):
    """Natural logarithm; NaN below zero (`aten.log`)."""

    name = "nn.log"


@irdl_op_definition
class Log1pOp(FloatUnaryOp):
    """log(1 + x) without cancellation near 0 (`aten.log1p`)."""

    name = "nn.log1p"


@irdl_op_definition
class Log2Op(FloatUnaryOp):
    """Binary logarithm (`aten.log2`)."""

    name = "nn.log2"


@irdl_op_definition
class Log10Op(FloatUnaryOp):
    """Decimal logarithm (`aten.log10`)."""

    name = "nn.log10"


@irdl_op_definition
class SinOp(FloatUnaryOp):
    """Sine (`aten.sin`)."""

    name = "nn.sin"


@irdl_op_definition
class CosOp(FloatUnaryOp):
    """Cosine (`aten.cos`)."""

    name = "nn.cos"


@irdl_op_definition
class TanOp(FloatUnaryOp):
    """Tangent (`aten.tan`)."""

    name = "nn.tan"


@irdl_op_definition
class AsinOp(FloatUnaryOp):
    """Inverse sine; NaN outside of [-1, 1] (`aten.asin`)."""

    name = "nn.asin"


@irdl_op_definition
class AcosOp(FloatUnaryOp):
    """Inverse cosine; NaN outside of [-1, 1] (`aten.acos`)."""

    name = "nn.acos"


@irdl_op_definition
class AtanOp(FloatUnaryOp):
    """Inverse tangent (`aten.atan`)."""

    name = "nn.atan"


@irdl_op_definition
class SinhOp(FloatUnaryOp):
    """Hyperbolic sine (`aten.sinh`)."""

    name = "nn.sinh"


@irdl_op_definition
class CoshOp(FloatUnaryOp):
    """Hyperbolic cosine (`aten.cosh`)."""

    name = "nn.cosh"


@irdl_op_definition
class TanhOp(FloatUnaryOp):
    """Hyperbolic tangent (`aten.tanh`)."""

    name = "nn.tanh"


@irdl_op_definition
class AsinhOp(FloatUnaryOp):
    """Inverse hyperbolic sine (`aten.asinh`)."""

    name = "nn.asinh"


@irdl_op_definition
class AcoshOp(FloatUnaryOp):
    """Inverse hyperbolic cosine; NaN below 1 (`aten.acosh`)."""

    name = "nn.acosh"


@irdl_op_definition
class AtanhOp(FloatUnaryOp):
    """Inverse hyperbolic tangent; NaN outside of [-1, 1] (`aten.atanh`)."""

    name = "nn.atanh"


@irdl_op_definition
class ErfOp(FloatUnaryOp):
    """Error function (`aten.erf`)."""

    name = "nn.erf"


@irdl_op_definition
class PowOp(BinaryOp):
    """x to the power of y (`aten.pow`); IEEE 754's `pow`, or integers that wrap.

    An integer to a negative power is 0, but for the base 1 and -1.

    `%r = nn.pow %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`
    """

    name = "nn.pow"


@irdl_op_definition
class Atan2Op(BinaryOp):
    """The angle of the point (rhs, lhs), in (-pi, pi] (`aten.atan2`)."""

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
