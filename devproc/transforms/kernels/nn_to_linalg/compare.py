"""Comparisons, selects and bit operations as scalar code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn import compare as nn
from devproc.ir.types import is_float, is_unsigned
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars, item_bits
from devproc.transforms.kernels.nn_to_linalg.pointwise import ScalarRule, scalar_rule


def _test(name: str) -> ScalarRule:
    """A comparison: ordered for floats, signed or unsigned for integers."""

    def rule(s: Scalars, args: list[SSAValue], dtype: Attribute) -> SSAValue:
        if is_float(dtype):
            predicate = f"o{name}"
        elif name == "eq":
            predicate = name
        else:
            predicate = f"{'u' if is_unsigned(dtype) else 's'}{name}"
        return s.compare(predicate, args[0], args[1])

    return rule


def _shift_left(s: Scalars, args: list[SSAValue], dtype: Attribute) -> SSAValue:
    x, by = args
    bits = s.constant(item_bits(x.type), x.type)
    zero = s.constant(0, x.type)
    # As an unsigned number, a negative one exceeds any bit width.
    inside = s.compare("ult", by, bits)
    value = s.emit(arith.ShLIOp(x, s.select(inside, by, zero)))
    return s.select(inside, value, zero)


def _shift_right(s: Scalars, args: list[SSAValue], dtype: Attribute) -> SSAValue:
    x, by = args
    bits = item_bits(x.type)
    inside = s.compare("ult", by, s.constant(bits, x.type))
    if is_unsigned(dtype):
        zero = s.constant(0, x.type)
        value = s.emit(arith.ShRUIOp(x, s.select(inside, by, zero)))
        return s.select(inside, value, zero)
    return s.emit(arith.ShRSIOp(x, s.select(inside, by, s.constant(bits - 1, x.type))))


def lower_where(op: Operation, lowering: Lowering) -> SSAValue:
    """A parallel loop of selects; nothing is computed, so no value is widened."""

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        condition, yes, no = args
        return [s.select(condition, yes, no)]

    return lowering.pointwise(list(op.operands), lowering.result_type, body)


LOWERINGS = {
    nn.AndOp: scalar_rule(lambda s, args, _: s.both(args[0], args[1])),
    nn.EqOp: scalar_rule(_test("eq")),
    nn.LeOp: scalar_rule(_test("le")),
    nn.LtOp: scalar_rule(_test("lt")),
    nn.OrOp: scalar_rule(lambda s, args, _: s.either(args[0], args[1])),
    nn.ShiftLeftOp: scalar_rule(_shift_left),
    nn.ShiftRightOp: scalar_rule(_shift_right),
    nn.WhereOp: lower_where,
    nn.XorOp: scalar_rule(lambda s, args, _: s.emit(arith.XOrIOp(args[0], args[1]))),
}
"""op class -> its lowering rule."""

NO_LOWERING: Mapping[type[Operation], str] = {}
"""op class -> why it never reaches the pass."""
