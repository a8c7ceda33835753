"""Analyses the index arithmetic of a body for given ranges of its loops."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Block, Operation, SSAValue

Ranges: TypeAlias = dict[int, tuple[int, int]]
"""Loop -> its half-open range of iterations."""

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
}
"""Comparisons of indices, which are signed."""


@dataclass(frozen=True)
class Place:
    """An affine index: the index of a loop times `scale` plus an offset, or a
    constant."""

    loop: int | None
    offset: int
    scale: int = 1

    def bounds(self, ranges: Ranges) -> tuple[int, int]:
        """The least and the largest value."""
        if self.loop is None:
            return self.offset, self.offset
        low, high = ranges[self.loop]
        ends = (low * self.scale + self.offset, (high - 1) * self.scale + self.offset)
        return min(ends), max(ends)


def place_of(op: Operation, known: dict[SSAValue, Place]) -> Place | None:
    """The result of an op on affine indices, if it is affine again.

    Sums and products with constants are.
    """
    if isinstance(op, IndexOp):
        return Place(op.dim.value.data, 0)
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        if isinstance(op.result.type, IndexType):
            return Place(None, op.value.value.data)
        return None
    if not isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp):
        return None
    a, b = (known.get(operand) for operand in op.operands)
    if a is None or b is None:
        return None
    if a.loop is None and not isinstance(op, arith.SubiOp):
        a, b = b, a
    if b.loop is not None:
        return None
    number = b.offset
    if isinstance(op, arith.MuliOp):
        if a.loop is None or not number:
            return Place(None, a.offset * number) if a.loop is None else None
        return Place(a.loop, a.offset * number, a.scale * number)
    offset = a.offset + number if isinstance(op, arith.AddiOp) else a.offset - number
    return Place(a.loop, offset, a.scale)


def _changes(op: Operation, moving: Place, number: int, is_swapped: bool) -> set[int]:
    """The iterations at which a comparison of an affine index with a constant changes
    its result, or a minimum or maximum its operand."""
    assert moving.loop is not None
    if isinstance(op, arith.CmpiOp):
        name = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
        if name not in COMPARISONS:
            return set()
        after = ("sgt", "sle") if not is_swapped else ("slt", "sge")
        is_both = name in ("eq", "ne")
        cuts = {number, number + 1} if is_both else {number + (name in after)}
    else:
        cuts = {number + isinstance(op, arith.MinSIOp)}
    # The first iteration at which the index reaches a cut or, decreasing, passes it.
    by, start = moving.scale, moving.offset
    return {
        -((start - cut) // by) if by > 0 else -((cut - 1 - start) // -by)
        for cut in cuts
    }


class Decided:
    """The values of a body within some ranges: affine indices, constant conditions, and
    aliases of other values."""

    def __init__(self, block: Block, ranges: Ranges):
        self.ranges = ranges
        self.places: dict[SSAValue, Place] = {}
        self.truths: dict[SSAValue, bool] = {}
        self.same: dict[SSAValue, SSAValue] = {}
        """The other value of the body that a value always equals, if any."""
        self.open: dict[SSAValue, tuple[int, set[int]]] = {}
        """Undecided values: a loop, and its iterations at which the value changes."""
        for op in block.ops:
            self._visit(op)

    def of(self, value: SSAValue) -> SSAValue:
        """The value that replaces this one."""
        while value in self.same:
            value = self.same[value]
        return value

    def _visit(self, op: Operation) -> None:
        if len(op.results) != 1:
            return
        (result,) = op.results
        operands = [self.of(value) for value in op.operands]
        known = {
            old: self.places[new]
            for old, new in zip(op.operands, operands, strict=True)
            if new in self.places
        }
        place = place_of(op, known)
        if place is not None:
            self.places[result] = place
        elif isinstance(op, arith.SelectOp) and operands[0] in self.truths:
            self.same[result] = operands[1 if self.truths[operands[0]] else 2]
        elif isinstance(op, arith.ConstantOp) and op.result.type == i1:
            value = op.value
            if isinstance(value, IntegerAttr):
                self.truths[result] = bool(value.value.data)
        elif isinstance(op, arith.AndIOp | arith.OrIOp):
            self._logic(op, operands)
        elif isinstance(op, arith.MaxSIOp | arith.MinSIOp | arith.CmpiOp):
            a, b = (self.places.get(value) for value in operands)
            if a is not None and b is not None:
                self._compare(op, operands, a, b)

    def _logic(self, op: arith.AndIOp | arith.OrIOp, operands: list[SSAValue]) -> None:
        """Fold `and` and `or` of conditions, if one operand is constant."""
        decides = isinstance(op, arith.OrIOp)
        for value, other in (operands, operands[::-1]):
            if value not in self.truths:
                continue
            if self.truths[value] == decides:
                self.truths[op.results[0]] = decides
                self.same[op.results[0]] = value
            else:
                self.same.setdefault(op.results[0], other)

    def _compare(
        self, op: Operation, operands: list[SSAValue], a: Place, b: Place
    ) -> None:
        (a_low, a_high), (b_low, b_high) = (p.bounds(self.ranges) for p in (a, b))
        (result,) = op.results
        if isinstance(op, arith.CmpiOp):
            name = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
            truth = self._truth(name, a, b)
            if truth is not None:
                self.truths[result] = truth
                return
        elif a_low >= b_high or a_high <= b_low:
            a_first = (a_low >= b_high) == isinstance(op, arith.MaxSIOp)
            self.same[result] = operands[0 if a_first else 1]
            return
        moving, fixed = (a, b) if b.loop is None else (b, a)
        if moving.loop is not None and fixed.loop is None:
            places = _changes(op, moving, fixed.offset, moving is b)
            self.open[result] = moving.loop, places

    def _truth(self, name: str, a: Place, b: Place) -> bool | None:
        """The result of a comparison, if it is the same for all iterations."""
        if name not in COMPARISONS:
            return None
        compare = COMPARISONS[name]
        if (a.loop, a.scale) == (b.loop, b.scale):
            return compare(a.offset, b.offset)
        (a_low, a_high), (b_low, b_high) = (p.bounds(self.ranges) for p in (a, b))
        least, most = compare(a_low, b_high), compare(a_high, b_low)
        if name in ("eq", "ne"):
            is_apart = a_high < b_low or b_high < a_low
            is_one = a_low == a_high == b_low == b_high
            return compare(a_low, b_low) if is_apart or is_one else None
        return least if least == most else None
