"""Rules that lower `math` and `simd.ldexp` to `llvm`, as far as processors support it.

`expand-math` has expanded transcendental functions into arithmetic. One that remains is
an error, because LLVM would call the C library for each lane.
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import BoolAttr
from xdsl.ir import Attribute, Operation

from devproc.dialects.simd_casts import vector_of
from devproc.ir.types import item_size
from devproc.targets.cpu.dialects.llvm_ext import intrinsics
from devproc.targets.cpu.transforms.to_llvm.arith import float_op, plain_op
from devproc.targets.cpu.transforms.to_llvm.lowering import (
    FunctionLowering,
    Rule,
)
from devproc.targets.cpu.transforms.to_llvm.types import convert_type


def _flagged(target: type[Operation], flag: str) -> Rule:
    """A rule for an integer intrinsic whose flag excludes poison results."""
    properties: dict[str, Attribute] = {flag: BoolAttr.from_bool(False)}

    def lower(fn: FunctionLowering, op: Operation) -> None:
        operand = fn.get(op.operands[0])
        type_ = convert_type(op.results[0].type)
        fn.set(op.results[0], fn.value(target, (operand,), type_, properties))

    return lower


def _refuse(fn: FunctionLowering, op: Operation) -> None:
    fn.fail("is not an instruction of any CPU; run the pass expand-math first", op)


def _ldexp(fn: FunctionLowering, op: Operation) -> None:
    type_ = vector_of(op.results[0])
    lanes, bits = type_.get_shape()[0], 8 * item_size(type_.element_type)
    name = f"llvm.ldexp.v{lanes}f{bits}.v{lanes}i{bits}"
    operands = [fn.get(operand) for operand in op.operands]
    call = fn.call_intrinsic(name, operands, (type_,))
    fn.set(op.results[0], call.results[0])


EXPANDED = (
    *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos"),
    *("cosh", "erf", "exp", "exp2", "expm1", "fpowi", "ipowi", "log", "log10"),
    *("log1p", "log2", "powf", "rsqrt", "sin", "sinh", "tan", "tanh"),
)
"""The ops that expand-math expands into arithmetic."""

RULES: dict[str, Rule] = {
    "math.sqrt": float_op(llvm.FSqrtOp),
    "math.absf": float_op(llvm.FAbsOp),
    "math.floor": float_op(llvm.FFloorOp),
    "math.ceil": float_op(llvm.FCeilOp),
    "math.round": float_op(intrinsics.RoundOp),
    "math.roundeven": float_op(intrinsics.RoundEvenOp),
    "math.trunc": float_op(intrinsics.FTruncOp),
    "math.copysign": float_op(llvm.FCopySignOp),
    "math.fma": float_op(llvm.FMAOp),
    "simd.ldexp": _ldexp,
    "math.absi": _flagged(intrinsics.AbsOp, "is_int_min_poison"),
    "math.ctlz": _flagged(intrinsics.CtlzOp, "is_zero_poison"),
    "math.cttz": _flagged(intrinsics.CttzOp, "is_zero_poison"),
    "math.ctpop": plain_op(intrinsics.CtpopOp),
    **{f"math.{name}": _refuse for name in EXPANDED},
}
