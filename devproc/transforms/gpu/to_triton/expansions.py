"""Math functions that Triton has no portable form for, written out.

Triton reaches most of libm only through libdevice, which its interpreter refuses. What
`tl` has itself (exp, log, sin, erf, rsqrt, ...) stays its own, for speed; what is left is
that of `devproc.arithmetic`, on the functions of `tl`. tanh is computed in its own type,
within 2 units in the last place; the others in f64, so a result in f32 is rounded once.
"""

from __future__ import annotations

from xdsl.dialects import math
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Operation, SSAValue

from devproc.arithmetic import elementary, rounding, transcendental
from devproc.arithmetic.float_builder import Expansion, FloatBuilder
from devproc.dialects.triton import element_of
from devproc.transforms.gpu.to_triton.blockwise import NATIVE, Blockwise
from devproc.transforms.gpu.to_triton.builder import BlockBuilder

LOG10_2 = 0.3010299956639812
LOG2_E = 1.4426950216293335
"""log2(e) rounded to float32."""
LOG2_E_REST = 1.9259629911266175e-8
"""What the rounding of LOG2_E left over."""


def accurate_exp(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """exp2(x log2 e) with the product's rounding error put back, in f32: five ops on the
    hardware's exp2, where the polynomial of the CPU takes twenty."""
    log2_e = f.number(LOG2_E)
    power = f.mul(x, log2_e)
    rest = f.fma(x, log2_e, f.sub(f.number(0.0), power))
    rest = f.fma(x, f.number(LOG2_E_REST), rest)
    rest = f.mul(rest, f.number(elementary.LN2))
    plain = f.value(math.Exp2Op, (power,))
    better = f.fma(plain, rest, plain)
    # At the infinities the error term is inf - inf.
    return f.select(f.compare("oeq", better, better), better, plain)


def log10(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """log10(2) log2(x)."""
    return f.mul(f.value(math.Log2Op, (x,)), f.number(LOG10_2))


EXPANSIONS: dict[type[Operation], Expansion] = {
    math.CopySignOp: Blockwise.copy_sign,
    math.RoundEvenOp: rounding.round_even,
    math.RoundOp: rounding.round_away,
    math.TanhOp: elementary.tanh,
    math.TruncOp: rounding.trunc,
}
"""What is written out in its own type."""

IN_DOUBLE: dict[type[Operation], Expansion] = {
    math.ExpM1Op: elementary.expm1,
    math.Log1pOp: elementary.log1p,
    math.Log10Op: log10,
    **{op: row for op, row in transcendental.FUNCTIONS.items() if op not in NATIVE},
}
"""What is computed in f64 and rounded once."""

STRICT_EXPANSIONS: dict[type[Operation], Expansion] = {math.ExpOp: accurate_exp}
"""What `precision = "strict"` writes out in f32 besides: Triton's own form is fast."""


def expand(
    b: BlockBuilder, op: type[Operation], values: list[SSAValue], strict: bool
) -> SSAValue | None:
    """The function of f32 or f64 values, written out; None where `tl` has it."""
    element = element_of(values[0].type)
    if op in IN_DOUBLE:
        wide = [b.to_float(value, f64) for value in values]
        f = Blockwise(b, f64, for_single=element == f32)
        return b.to_float(IN_DOUBLE[op](f, *wide), element)
    expansion = EXPANSIONS.get(op)
    if strict and element == f32:
        expansion = STRICT_EXPANSIONS.get(op, expansion)
    return None if expansion is None else expansion(Blockwise(b, element), *values)
