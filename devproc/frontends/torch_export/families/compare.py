"""ATen's comparisons, logical and bitwise operators, and selections."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import torch
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn import compare as nn
from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.pointwise import AbsOp
from devproc.frontends.torch_export.elementwise.formula import (
    BOOL,
    Formula,
    Operand,
    common_type,
    composed,
    compute_type,
)
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    rows_of,
)
from devproc.frontends.torch_export.graph.composites import composed_of, traced
from devproc.ir.types import is_bool, is_float, tensor_of
from devproc.reference.conversion.tensors import torch_dtype

Rule = Callable[[Formula, Operand, Operand], SSAValue]


def _test(rule: Rule, *makes: type[Operation]) -> ImportRule:
    """The rule of a comparison, in the dtype that both operands are promoted to."""

    def build(b: GraphBuilder, x: Operand, y: Operand) -> SSAValue:
        return rule(Formula(b, compute_type(common_type([x, y]))), x, y)

    return ImportRule(build, makes)


_TESTS: dict[str, ImportRule] = {
    "eq": _test(lambda f, x, y: f(nn.EqOp, x, y), nn.EqOp),
    "ne not_equal": _test(lambda f, x, y: f.differ(x, y), nn.EqOp, nn.XorOp),
    "lt less": _test(lambda f, x, y: f(nn.LtOp, x, y), nn.LtOp),
    "le less_equal": _test(lambda f, x, y: f(nn.LeOp, x, y), nn.LeOp),
    "gt greater": _test(lambda f, x, y: f(nn.LtOp, y, x), nn.LtOp),
    "ge greater_equal": _test(lambda f, x, y: f(nn.LeOp, y, x), nn.LeOp),
}


def _truth(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """Where a number is nonzero."""
    return b.cast(x, BOOL)


def _logical(op: type[NNOp]) -> ImportRule:
    def build(b: GraphBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
        return b.emit(op.build_op([_truth(b, x), _truth(b, y)]))

    return ImportRule(build, (op,))


def _logical_not(b: GraphBuilder, x: SSAValue) -> SSAValue:
    return Formula(b, BOOL).negation(_truth(b, x))


def _bitwise(op: type[NNOp]) -> ImportRule:
    """The rule of a bitwise op, in the dtype of the result."""

    def build(b: GraphBuilder, x: Operand, y: Operand) -> SSAValue:
        return Formula(b, b.result.element_type)(op, x, y)

    return ImportRule(build, (op,))


def _bitwise_not(b: GraphBuilder, x: SSAValue) -> SSAValue:
    element = tensor_of(x).element_type
    ones = b.scalar(True, BOOL) if is_bool(element) else b.scalar(-1, element)
    return b.emit(nn.XorOp.build_op([x, ones]))


def _float_test(rule: Callable[[Formula, SSAValue], SSAValue]) -> ImportRule:
    """The rule of a test for NaN or infinity, which is false for integers."""

    def build(b: GraphBuilder, x: SSAValue) -> SSAValue:
        element = tensor_of(x).element_type
        f = Formula(b, element if is_float(element) else compute_type(element))
        return rule(f, x) if is_float(element) else f.differ(x, x)

    return ImportRule(build, (nn.EqOp, nn.XorOp))


def _is_finite(b: GraphBuilder, x: SSAValue) -> SSAValue:
    element = tensor_of(x).element_type
    f = Formula(b, compute_type(element))
    if not is_float(element):
        return f(nn.EqOp, x, x)
    return f(nn.LtOp, f(AbsOp, x), inf)


def _where(b: GraphBuilder, condition: SSAValue, x: Operand, y: Operand) -> SSAValue:
    f = Formula(b, b.result.element_type)
    return f.where(b.cast(condition, BOOL), x, y)


def _masked_fill(
    b: GraphBuilder, x: SSAValue, mask: SSAValue, value: Operand
) -> SSAValue:
    return _where(b, mask, value, x)


def _nan_to_num(
    b: GraphBuilder,
    x: SSAValue,
    nan: Number | None = None,
    most: Number | None = None,
    least: Number | None = None,
) -> SSAValue:
    element = tensor_of(x).element_type
    if not is_float(element):
        return x
    f, limits = Formula(b, element), torch.finfo(torch_dtype(element))
    most = limits.max if most is None else most
    least = limits.min if least is None else least
    value = f.where(f(nn.EqOp, x, inf), most, x)
    value = f.where(f(nn.EqOp, x, -inf), least, value)
    return f.where(f.differ(x, x), nan or 0, value)


def _is_close(
    x: torch.Tensor,
    y: torch.Tensor,
    relative: float = 1e-5,
    absolute: float = 1e-8,
    equal_nan: bool = False,
) -> torch.Tensor:
    """Equal, or within absolute + |relative * y|; infinities only where equal."""
    close = x == y
    if equal_nan and x.is_floating_point():
        close = close | (x.isnan() & y.isnan())
    if relative == absolute == 0:
        return close
    y = y if x.is_floating_point() else y.to(torch.get_default_dtype())
    allowed = absolute + (relative * y).abs()
    actual = (x - y).abs()
    return close | (actual.isfinite() & (actual <= allowed))


def _extreme(takes_other: Rule) -> ImportRule:
    """The rule of `fmax` or `fmin`, which ignore NaN where the other operand is a number."""

    def choose(f: Formula, x: Operand, y: Operand) -> SSAValue:
        value = f.where(takes_other(f, x, y), y, x)
        return f.where(f.differ(x, x), y, value)

    return composed(choose, nn.WhereOp, nn.LtOp, nn.EqOp)


def _rows(rules: dict[str, ImportRule], *overloads: str) -> dict[str, ImportRule]:
    """Rows for all of these overloads of operators, which share a rule in a key."""
    return {
        f"aten.{name}.{overload}": rule
        for names, rule in rules.items()
        for name in names.split()
        for overload in overloads
    }


_BITWISE = {
    "bitwise_and": _bitwise(nn.AndOp),
    "bitwise_or": _bitwise(nn.OrOp),
    "bitwise_xor": _bitwise(nn.XorOp),
}
_SHIFTS = {
    "bitwise_left_shift": _bitwise(nn.ShiftLeftOp),
    "bitwise_right_shift": _bitwise(nn.ShiftRightOp),
}
_OPERATORS = {
    "__and__": _bitwise(nn.AndOp),
    "__or__": _bitwise(nn.OrOp),
    "__xor__": _bitwise(nn.XorOp),
    "__lshift__": _bitwise(nn.ShiftLeftOp),
    "__rshift__": _bitwise(nn.ShiftRightOp),
}
_LOGICAL = {
    "logical_and": _logical(nn.AndOp),
    "logical_or": _logical(nn.OrOp),
    "logical_xor": _logical(nn.XorOp),
    "logical_not": ImportRule(_logical_not, (nn.XorOp,)),
    "bitwise_not": ImportRule(_bitwise_not, (nn.XorOp,)),
    "isnan": _float_test(lambda f, x: f.differ(x, x)),
    "isinf": _float_test(lambda f, x: f(nn.EqOp, f(AbsOp, x), inf)),
    "isposinf": _float_test(lambda f, x: f(nn.EqOp, x, inf)),
    "isneginf": _float_test(lambda f, x: f(nn.EqOp, x, -inf)),
    "isfinite": ImportRule(_is_finite, (nn.LtOp,)),
    "nan_to_num": ImportRule(_nan_to_num, (nn.WhereOp, nn.EqOp)),
    "fmax": _extreme(lambda f, x, y: f(nn.LtOp, x, y)),
    "fmin": _extreme(lambda f, x, y: f(nn.LtOp, y, x)),
}
IMPORTS: dict[str, ImportRule] = {
    **_rows(_TESTS, "Scalar", "Tensor"),
    **_rows(_BITWISE, "Scalar", "Scalar_Tensor", "Tensor"),
    **_rows(_SHIFTS, "Tensor", "Tensor_Scalar", "Scalar_Tensor"),
    **_rows(_OPERATORS, "Scalar", "Tensor"),
    **_rows(_LOGICAL, "default"),
    **traced("isreal"),
    "aten.isclose.default": composed_of(_is_close),
    **rows_of(
        ImportRule(_where, (nn.WhereOp,)),
        "where.self where.Scalar where.ScalarOther where.ScalarSelf",
    ),
    **rows_of(
        ImportRule(_masked_fill, (nn.WhereOp,)),
        "masked_fill.Scalar masked_fill.Tensor",
    ),
}
"""ATen overload -> import rule."""
