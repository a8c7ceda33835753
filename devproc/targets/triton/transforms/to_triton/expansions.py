"""Expansions of math functions that Triton does not support portably.

Triton offers most of libm only through libdevice, which its interpreter rejects.
Functions of `tl` (exp, log, sin, erf, rsqrt, ...) are used directly, for speed; others
are expanded by `devproc.arithmetic` in terms of them: tanh in its own type, within 2
units in the last place, the others in f64, so that an f32 result is rounded once.
"""

from __future__ import annotations

from xdsl.dialects import math
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Operation, SSAValue

from devproc.arithmetic import elementary, rounding, transcendental
from devproc.arithmetic.float_builder import Expansion, FloatBuilder
from devproc.targets.triton.dialect import element_of
from devproc.targets.triton.transforms.to_triton.blockwise import NATIVE, Blockwise
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder

LOG10_2 = 0.3010299956639812
LOG2_E = 1.4426950216293335
"""log2(e) rounded to float32."""
LOG2_E_REST = 1.9259629911266175e-8
"""The rounding error of LOG2_E."""


def accurate_exp(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """exp2(x log2 e) in f32, corrected for the rounding error of the product: five ops
    and the hardware's exp2, instead of twenty for the CPU's polynomial."""
    log2_e = f.number(LOG2_E)
    power = f.mul(x, log2_e)
    rest = f.fma(x, log2_e, f.sub(f.number(0.0), power))
    rest = f.fma(x, f.number(LOG2_E_REST), rest)
    rest = f.mul(rest, f.number(elementary.LN2))
    plain = f.value(math.Exp2Op, (power,))
    better = f.fma(plain, rest, plain)
    # For infinities the error term is inf - inf.
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
"""Functions that are expanded in their own type."""

IN_DOUBLE: dict[type[Operation], Expansion] = {
    math.ExpM1Op: elementary.expm1,
    math.Log1pOp: elementary.log1p,
    math.Log10Op: log10,
    **{op: row for op, row in transcendental.FUNCTIONS.items() if op not in NATIVE},
}
"""Functions that are computed in f64 and rounded once."""

STRICT_EXPANSIONS: dict[type[Operation], Expansion] = {math.ExpOp: accurate_exp}
"""Also expanded in f32 with `precision = "strict"`: Triton's form is approximate."""


def expand(
    b: BlockBuilder, op: type[Operation], values: list[SSAValue], strict: bool
) -> SSAValue | None:
    """The expansion of a function of f32 or f64; None if `tl` supports it."""
    element = element_of(values[0].type)
    if op in IN_DOUBLE:
        wide = [b.to_float(value, f64) for value in values]
        f = Blockwise(b, f64, for_single=element == f32)
        return b.to_float(IN_DOUBLE[op](f, *wide), element)
    expansion = EXPANSIONS.get(op)
    if strict and element == f32:
        expansion = STRICT_EXPANSIONS.get(op, expansion)
    return None if expansion is None else expansion(Blockwise(b, element), *values)
