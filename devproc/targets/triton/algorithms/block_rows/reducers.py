"""How the reductions of a pass accumulate: in one block, or over the blocks of a loop.

Each lane of a block accumulates on its own; lanes are combined at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerType, f32, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.algorithms.base import Refusal
from devproc.ir.types import is_float
from devproc.targets.triton.algorithms.block_rows.argmax import ArgExtreme
from devproc.targets.triton.algorithms.block_rows.combiners import (
    NAN_OPS,
    UNSIGNED_OPS,
    Combiner,
    combiners,
)
from devproc.targets.triton.dialect import element_of, shape_of
from devproc.targets.triton.transforms.to_triton.body import Body
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder
from devproc.targets.triton.transforms.to_triton.constants import constant_value
from devproc.targets.triton.transforms.to_triton.generic import Generic
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.program import Program

Values = Sequence[SSAValue]

INTEGER_OPS: dict[str, type[Operation]] = {
    "sum": arith.AddiOp,
    "max": arith.MaxSIOp,
    "min": arith.MinSIOp,
}
"""Kind of a reduction -> the op that accumulates integers."""


class Reducer(Protocol):
    """One reduction of a pass."""

    @property
    def count(self) -> int:
        """The number of accumulators."""
        ...

    def starts(self) -> list[SSAValue]:
        """The accumulators before the first block."""
        ...

    def update(
        self, site: Site, inside: SSAValue | None, carried: Values | None
    ) -> list[SSAValue]:
        """The accumulators after a block; without `carried` it is the only one.

        `inside`: the mask of columns within the row.
        """
        ...

    def finish(self, carried: Values, olds: Values) -> list[SSAValue]:
        """The value of each row; `olds` are those that the op started from."""
        ...


@dataclass(frozen=True)
class Lanes:
    """An op that reduces one dimension of blocks of a shape."""

    program: Program
    generic: Generic
    shape: tuple[int, ...]
    axis: int

    @property
    def b(self) -> BlockBuilder:
        """The builder of ops."""
        return self.program.builder

    def filled(self, value: float, type_: Attribute) -> SSAValue:
        """A block of one number."""
        return self.b.to_shape(self.b.constant(value, type_), self.shape)

    def within(
        self, inside: SSAValue | None, value: SSAValue, other: float
    ) -> SSAValue:
        """A value for each lane, replaced by `other` past the end of a row."""
        b, own = self.b, shape_of(value.type) or self.shape
        value = b.to_shape(
            value, tuple(max(s) for s in zip(self.shape, own, strict=True))
        )
        if inside is None:
            return value
        return b.where(inside, value, b.constant(other, element_of(value.type)))

    def contributions(self, site: Site, wanted: Values) -> list[SSAValue]:
        """Values of the body that do not depend on the accumulators."""
        generic, kernel = self.generic, self.program.kernel
        body = Body(self.b, site, kernel.strict)
        for index, value in enumerate(generic.inputs):
            argument = generic.block.args[index]
            if argument.uses:
                body.values[argument] = kernel.read(value, generic.maps[index], site)
        for value in wanted:
            body.need(value)
        return [body.get(value) for value in wanted]

    def combiners(self) -> list[Combiner]:
        """How each output is reduced."""
        found = combiners(self.generic)
        assert not isinstance(found, Refusal), found.why
        return found


@dataclass(frozen=True)
class CombiningReducer:
    """Sums, maxima and minima, one for each output.

    Sums of floats in a loop carry what rounding has lost (Kahan, "Further remarks on
    reducing truncation errors", 1965): a lane may add thousands of elements in order.
    """

    lanes: Lanes

    @property
    def count(self) -> int:
        """One for each output, and one more for each sum of floats."""
        return sum(1 + is_float_sum(c) for c in self.lanes.combiners())

    def starts(self) -> list[SSAValue]:
        """Neutral elements, and nothing lost."""
        starts: list[SSAValue] = []
        for combiner in self.lanes.combiners():
            type_ = wide_type(combiner)
            neutral = self.lanes.filled(neutral_element(combiner.kind, type_), type_)
            starts += [neutral] * (1 + is_float_sum(combiner))
        return starts

    def update(
        self, site: Site, inside: SSAValue | None, carried: Values | None
    ) -> list[SSAValue]:
        """Combine each lane with an element of the block."""
        lanes, found = self.lanes, self.lanes.combiners()
        elements = lanes.contributions(site, [c.element for c in found])
        left, values = list(carried or ()), list[SSAValue]()
        for combiner, element in zip(found, elements, strict=True):
            type_ = wide_type(combiner)
            if type_ != element_of(element.type):
                element = lanes.b.cast("extui", element, type_)
            neutral = neutral_element(combiner.kind, type_)
            element = lanes.within(inside, element, neutral)
            if carried is None:
                values.append(element)
            elif is_float_sum(combiner):
                values += compensated(lanes.b, left.pop(0), left.pop(0), element)
            else:
                op = step_op(combiner, type_)
                values.append(lanes.b.elementwise(op, left.pop(0), element))
        return values

    def finish(self, carried: Values, olds: Values) -> list[SSAValue]:
        """Combine the lanes, and each row with its old value."""
        found, left = self.lanes.combiners(), list(carried)
        is_looped, rows = len(left) > len(found), list[SSAValue]()
        for combiner, old in zip(found, olds, strict=True):
            rows.append(across(self.lanes, combiner, left.pop(0), old))
            if is_looped and is_float_sum(combiner):
                # What the last addition has lost is below the error of this sum.
                left.pop(0)
        return rows


def is_float_sum(combiner: Combiner) -> bool:
    """Whether rounding errors of an accumulator matter."""
    return isinstance(combiner.op, arith.AddfOp)


def compensated(
    b: BlockBuilder, total: SSAValue, lost: SSAValue, element: SSAValue
) -> list[SSAValue]:
    """The sum with an element, and what its rounding has lost."""
    zero = b.constant(0.0, element_of(total.type))
    rest = b.elementwise(arith.SubfOp, element, lost)
    new = b.elementwise(arith.AddfOp, total, rest)
    added = b.elementwise(arith.SubfOp, new, total)
    lost = b.elementwise(arith.SubfOp, added, rest)
    # The difference of infinities is no error.
    return [new, b.where(b.compare("ord", lost, lost), lost, zero)]


@dataclass(frozen=True)
class ArgReducer:
    """The extreme value and its first position; NaN takes precedence over all numbers.

    The initial values of the op are those of an empty row, and are not read.
    """

    lanes: Lanes
    extreme: ArgExtreme
    count = 2

    def starts(self) -> list[SSAValue]:
        """The value of no element, at the position of none."""
        kind, type_ = self.extreme.kind, self.value_type
        position: Attribute = self.extreme.position.type
        return [
            self.lanes.filled(neutral_element(kind, type_), type_),
            self.lanes.filled(neutral_element("min", position), position),
        ]

    @property
    def value_type(self) -> Attribute:
        """The type that values are compared in."""
        type_: Attribute = self.extreme.value.type
        return unsigned_type(type_) if self.extreme.unsigned else type_

    def update(
        self, site: Site, inside: SSAValue | None, carried: Values | None
    ) -> list[SSAValue]:
        """For each lane the better of two elements, the earlier one of equal ones."""
        b, kind, type_ = self.lanes.b, self.extreme.kind, self.value_type
        value, position = self.lanes.contributions(
            site, [self.extreme.value, self.extreme.position]
        )
        if type_ != element_of(value.type):
            value = b.cast("extui", value, type_)
        place = element_of(position.type)
        none = neutral_element("min", place)
        value = self.lanes.within(inside, value, neutral_element(kind, type_))
        position = self.lanes.within(inside, position, none)
        if carried is None:
            return [value, position]
        best, best_at = carried
        order = "gt" if kind == "max" else "lt"
        if is_float(type_):
            better = b.compare(f"u{order}", value, best)
            better = b.elementwise(arith.AndIOp, better, b.compare("ord", best, best))
        else:
            better = b.compare(f"s{order}", value, best)
        # Before the first element, one equal to the neutral element is better too.
        first = b.compare("eq", best_at, b.constant(none, place))
        better = b.elementwise(arith.OrIOp, better, first)
        return [b.where(better, value, best), b.where(better, position, best_at)]

    def finish(self, carried: Values, olds: Values) -> list[SSAValue]:
        """The least position among the lanes that hold the extreme, or a NaN."""
        b, axis, kind = self.lanes.b, self.lanes.axis, self.extreme.kind
        value, position = carried
        type_, place = self.value_type, element_of(position.type)
        none = b.constant(neutral_element("min", place), place)
        if not is_float(type_):
            best = b.reduce(kind, value, axis)
            hits = b.compare("eq", value, best)
            first = b.reduce("min", b.where(hits, position, none), axis)
            stored = self.extreme.value.type
            return [best if type_ == stored else b.cast("trunci", best, stored), first]
        neutral = b.constant(neutral_element(kind, type_), type_)
        real = b.compare("ord", value, value)
        best = b.reduce(kind, b.where(real, value, neutral), axis)
        hits = b.compare("oeq", value, best)
        first = b.reduce("min", b.where(hits, position, none), axis)
        nans = b.compare("uno", value, value)
        first_nan = b.reduce("min", b.where(nans, position, none), axis)
        some = b.compare("ne", first_nan, none)
        nan = b.constant(float("nan"), type_)
        return [b.where(some, nan, best), b.where(some, first_nan, first)]


@dataclass(frozen=True)
class OnlineReducer:
    """The maximum of a row and the sum of exp(x - maximum), in a loop; see `online`."""

    lanes: Lanes
    count = 2

    def starts(self) -> list[SSAValue]:
        """No element so far."""
        return [self.lanes.filled(float("-inf"), f32), self.lanes.filled(0.0, f32)]

    def update(
        self, site: Site, inside: SSAValue | None, carried: Values | None
    ) -> list[SSAValue]:
        """Scale the sum of a lane if its maximum grows; one exponential either way."""
        assert carried is not None
        b, (largest, total) = self.lanes.b, carried
        (combiner,) = self.lanes.combiners()
        (element,) = self.lanes.contributions(site, [combiner.element])
        element = self.lanes.within(inside, element, float("-inf"))
        one = b.constant(1.0, f32)
        grows = b.compare("ogt", element, largest)
        power = b.where(
            grows,
            b.elementwise(arith.SubfOp, largest, element),
            b.elementwise(arith.SubfOp, element, largest),
        )
        # The difference of equal infinities is NaN.
        same = b.compare("oeq", element, largest)
        factor = b.where(same, one, b.elementwise(math.ExpOp, power))
        scaled = b.elementwise(
            arith.AddfOp, b.elementwise(arith.MulfOp, total, factor), one
        )
        added = b.elementwise(arith.AddfOp, total, factor)
        return [
            b.elementwise(arith.MaximumfOp, largest, element),
            b.where(grows, scaled, added),
        ]

    def finish(self, carried: Values, olds: Values) -> list[SSAValue]:
        """The maximum of each row, and the sums of its lanes relative to that."""
        b, (largest, total) = self.lanes.b, carried
        (combiner,) = self.lanes.combiners()
        top = across(self.lanes, combiner, largest, olds[0])
        scale = b.elementwise(math.ExpOp, b.elementwise(arith.SubfOp, largest, top))
        return [top, b.elementwise(arith.MulfOp, total, scale)]


def across(
    lanes: Lanes, combiner: Combiner, value: SSAValue, old: SSAValue
) -> SSAValue:
    """The lanes of each row combined, with the old value of the row."""
    b, type_ = lanes.b, element_of(value.type)
    unsigned = isinstance(combiner.op, UNSIGNED_OPS)
    stored: Attribute = combiner.element.type
    if isinstance(combiner.op, NAN_OPS):
        neutral = b.constant(neutral_element(combiner.kind, type_), type_)
        real = b.where(b.compare("ord", value, value), value, neutral)
        result = b.reduce(combiner.kind, real, lanes.axis)
        nans = b.cast("extui", b.compare("uno", value, value), i32)
        some = b.compare("ne", b.reduce("max", nans, lanes.axis), b.constant(0, i32))
        result = b.where(some, b.constant(float("nan"), type_), result)
    else:
        result = b.reduce(combiner.kind, value, lanes.axis)
    if stored == i1:
        result = b.compare("ne", result, b.constant(0, i32))
    elif type_ != stored:
        result = b.cast("trunci", result, stored)
    if constant_value(old) == neutral_element(combiner.kind, stored, unsigned):
        return result
    return b.elementwise(type(combiner.op), old, result)


def wide_type(combiner: Combiner) -> Attribute:
    """The type in which lanes accumulate."""
    type_: Attribute = combiner.element.type
    if type_ == i1 or isinstance(combiner.op, UNSIGNED_OPS):
        return unsigned_type(type_)
    return type_


def unsigned_type(type_: Attribute) -> IntegerType:
    """The signed type that holds unsigned integers of up to 32 bits."""
    assert isinstance(type_, IntegerType)
    return i32 if type_.bitwidth < 32 else i64


def step_op(combiner: Combiner, type_: Attribute) -> type[Operation]:
    """The op that accumulates in a lane."""
    return type(combiner.op) if is_float(type_) else INTEGER_OPS[combiner.kind]


def neutral_element(kind: str, type_: Attribute, unsigned: bool = False) -> float:
    """The neutral element of a reduction."""
    if kind == "sum" or (unsigned and kind == "max"):
        return 0
    if unsigned:
        return -1
    if is_float(type_):
        return float("-inf") if kind == "max" else float("inf")
    assert isinstance(type_, IntegerType)
    if type_ == i1:
        return 0 if kind == "max" else 1
    top = 1 << (type_.bitwidth - 1)
    return -top if kind == "max" else top - 1
