"""Scans: how two elements combine, and the initial value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr, f64, i64
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from devproc.dialects.linalg_ext.scan import ScanOp, ScanPartsOp, ScanTotalsOp
from devproc.dialects.nn import scan as nn
from devproc.dialects.nn.base import int_of, normalize_axis
from devproc.ir.program.structured import FAMILY
from devproc.ir.types import highest, is_float, is_unsigned, lowest, tensor_of
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.common.scalars import (
    Scalars,
    compute_type,
    constant_attribute,
)

Combine: TypeAlias = Callable[[Scalars, SSAValue, SSAValue, Attribute], SSAValue]
"""Combines two elements of a dtype, the earlier one first."""


@dataclass(frozen=True)
class Form:
    """How a scan combines elements."""

    start: Callable[[Attribute], float]
    """The neutral element of a dtype."""
    combine: Combine
    in_double: bool = False
    """Whether floats are computed in float64."""

    def compute_type(self, dtype: Attribute) -> Attribute:
        """The type that elements of a dtype are combined in."""
        return f64 if self.in_double and is_float(dtype) else compute_type(dtype)


def _log_add_exp(s: Scalars, a: SSAValue, b: SSAValue, dtype: Attribute) -> SSAValue:
    """log(exp(a) + exp(b)) as max + log1p(exp(min - max))."""
    most, least = s.maximum(a, b, dtype), s.minimum(a, b, dtype)
    # Covers equal infinities, whose difference is NaN.
    way = s.emit(arith.SubfOp(least, most))
    way = s.select(s.compare("oeq", a, b), s.constant(0, a.type), way)
    return s.add(most, s.emit(math.Log1pOp(s.emit(math.ExpOp(way)))))


FORMS: Mapping[type[nn.ScanOp], Form] = {
    nn.CummaxOp: Form(lowest, lambda s, a, b, dtype: s.maximum(a, b, dtype)),
    nn.CumminOp: Form(highest, lambda s, a, b, dtype: s.minimum(a, b, dtype)),
    nn.CumprodOp: Form(lambda _: 1, lambda s, a, b, _: s.multiply(a, b), True),
    nn.CumsumOp: Form(lambda _: 0, lambda s, a, b, _: s.add(a, b), True),
    nn.LogcumsumexpOp: Form(lowest, _log_add_exp, True),
}


def lower_scan(op: Operation, lowering: Lowering) -> Sequence[SSAValue]:
    """A scan; computes the indices of extremes only if they are read."""
    assert isinstance(op, nn.ScanOp)
    form, dtype = FORMS[type(op)], lowering.dtype(op.operand)
    element, shape = lowering.result_type.element_type, lowering.result_type.get_shape()
    numbers = [constant_attribute(form.start(dtype), form.compute_type(dtype))]
    with_places = isinstance(op, nn.ExtremeScanOp) and bool(op.indices.uses)
    if with_places:
        numbers.append(constant_attribute(0, i64))
    types = [number.type for number in numbers]
    block = Block(arg_types=types * 2)
    if with_places:
        made = extreme(Scalars(block), list(block.args), op, dtype)
    else:
        before, here = block.args
        made = [form.combine(Scalars(block), before, here, dtype)]
    block.add_op(YieldOp(*made))
    outputs = [lowering.empty(shape, e) for e in (element, *types[1:])]
    axis = normalize_axis(int_of(op.axis), len(shape))
    scan = append_scan(op.operand, outputs, axis, numbers, Region(block), lowering)
    # Unread results need no memory.
    unread = op.results[len(outputs) :]
    return [*scan.results, *(lowering.empty(shape, i64) for _ in unread)]


def append_scan(
    operand: SSAValue,
    outputs: Sequence[SSAValue],
    axis: int,
    starts: Sequence[FloatAttr | IntegerAttr],
    body: Region,
    lowering: Lowering,
) -> ScanOp | ScanPartsOp:
    """Append a scan; in parts, with their totals first, where the device wants several."""
    shape = list(tensor_of(operand).get_shape())
    count = lowering.parts_of_sums if shape[axis] and not lowering.on_host else 1
    # Powers of two are whole blocks of any schedule.
    size = 1 << max(-(-shape[axis] // count) - 1, 0).bit_length()
    if size >= shape[axis]:
        scan = ScanOp(operand, outputs, axis, starts, body)
    else:
        shape[axis] = -(-shape[axis] // size) - 1
        targets = [lowering.empty(shape, number.type) for number in starts]
        totals = ScanTotalsOp(operand, targets, axis, size, starts, body.clone())
        totals.attributes[FAMILY] = StringAttr("scan")
        lowering.append(totals)
        scan = ScanPartsOp(operand, totals.results, outputs, axis, size, starts, body)
    scan.attributes[FAMILY] = StringAttr("scan")
    lowering.append(scan)
    return scan


def extreme(
    s: Scalars, pairs: list[SSAValue], op: nn.ScanOp, dtype: Attribute
) -> list[SSAValue]:
    """Value and index of the later element, unless the earlier one is more extreme; a
    later NaN always wins."""
    value, place, later, later_place = pairs
    is_max = isinstance(op, nn.CummaxOp)
    if is_float(dtype):
        wins = s.compare("oge" if is_max else "ole", later, value)
        wins = s.either(wins, s.is_nan(later))
    else:
        sign = "u" if is_unsigned(dtype) else "s"
        wins = s.compare(sign + ("ge" if is_max else "le"), later, value)
    return [s.select(wins, later, value), s.select(wins, later_place, place)]


LOWERINGS = dict.fromkeys(FORMS, lower_scan)

NO_LOWERING: Mapping[type[Operation], str] = {}
