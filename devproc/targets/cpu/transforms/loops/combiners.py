"""Reductions that can be vectorised: their combining ops and neutral elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.ir.types import is_float
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp
from devproc.targets.cpu.transforms.loops.lanewise import compare, select
from devproc.targets.cpu.transforms.loops.vector_types import AnyVector

REASSOCIATE = arith.FastMathFlagsAttr([FastMathFlag.REASSOC])
"""Lets LLVM add lanes as a tree, which depends on the vector's length only."""

NO_FLAGS = arith.FastMathFlagsAttr("none")


def _bits(element: Attribute) -> int:
    return cast("IntegerType[int]", element).width.data


def _lowest(element: Attribute) -> float:
    return float("-inf") if is_float(element) else -(1 << (_bits(element) - 1))


def _highest(element: Attribute) -> float:
    return float("inf") if is_float(element) else (1 << (_bits(element) - 1)) - 1


IDENTITIES: dict[type[Operation], tuple[str, Callable[[Attribute], float]]] = {
    arith.AddfOp: ("add", lambda _: 0.0),
    arith.AddiOp: ("add", lambda _: 0),
    arith.MulfOp: ("mul", lambda _: 1.0),
    arith.MuliOp: ("mul", lambda _: 1),
    arith.MaximumfOp: ("maximumf", _lowest),
    arith.MinimumfOp: ("minimumf", _highest),
    arith.MaxSIOp: ("maxsi", _lowest),
    arith.MinSIOp: ("minsi", _highest),
    arith.MaxUIOp: ("maxui", lambda _: 0),
    arith.MinUIOp: ("minui", lambda _: -1),
    arith.AndIOp: ("and", lambda _: -1),
    arith.OrIOp: ("or", lambda _: 0),
}
"""The op that combines -> its kind in `vector.reduction`, its identity."""


@dataclass(frozen=True)
class Combiner:
    """`accumulator = op(accumulator, value)`, with the flags of the op in
    `properties`."""

    op: type[Operation]
    properties: Mapping[str, Attribute]

    @property
    def is_float_sum(self) -> bool:
        """Whether rounding grows with the number of terms."""
        return self.op is arith.AddfOp

    def identity(self, element: Attribute) -> float:
        """The neutral element."""
        return IDENTITIES[self.op][1](element)

    def combine(self, emitter: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
        """Combine two values, scalars or vectors."""
        return emitter.value(self.op, (a, b), None, self.properties)

    def across_lanes(self, emitter: Emitter, value: SSAValue) -> SSAValue:
        """Combine all lanes of a vector."""
        return reduce_lanes(emitter, IDENTITIES[self.op][0], value)


def reduce_lanes(emitter: Emitter, kind: str, value: SSAValue) -> SSAValue:
    """`vector.reduction` of this kind."""
    element = cast(AnyVector, value.type).element_type
    properties: dict[str, Attribute] = {
        "kind": CombiningKindAttr(CombiningKindFlag(kind)),
        "fastmath": REASSOCIATE if is_float(element) else NO_FLAGS,
    }
    return emitter.value(vector.ReductionOp, (value,), element, properties)


def combiner_of(op: StructuredOp, result: int = 0) -> Combiner | None:
    """How an op's body updates an accumulator; None if it has another form."""
    block = op.body.block
    last = block.last_op
    assert last is not None
    accumulator = block.args[len(op.inputs) + result]
    update = last.operands[result].owner
    if (
        type(update) not in IDENTITIES
        or not isinstance(update, Operation)
        or accumulator not in update.operands
        or len(list(accumulator.uses)) != 1
    ):
        return None
    return Combiner(type(update), update.properties)


def accumulates_in_float(op: StructuredOp) -> bool:
    """Whether the op is a sum of floats, whose error grows with its length."""
    return (
        len(op.outputs) == 1 and (c := combiner_of(op)) is not None and c.is_float_sum
    )


def arg_direction(op: StructuredOp) -> str | None:
    """`max` or `min` if the op finds the extreme value and its index, else None.

    The results are (value, index), each selected by one condition, which begins with a
    comparison of the element with the best so far.
    """
    block = op.body.block
    last = block.last_op
    assert last is not None
    if len(op.outputs) != 2:
        return None
    selects = [value.owner for value in last.operands]
    if not all(isinstance(s, arith.SelectOp) for s in selects):
        return None
    value, index = (cast(arith.SelectOp, s) for s in selects)
    best, best_index = block.args[-2:]
    if value.cond is not index.cond or value.rhs is not best:
        return None
    if index.rhs is not best_index or not isinstance(best_index.type, IntegerType):
        return None
    for inner in block.ops:
        if isinstance(inner, arith.CmpfOp | arith.CmpiOp) and (
            inner.lhs is value.lhs and inner.rhs is best
        ):
            floats = isinstance(inner, arith.CmpfOp)
            names = (
                arith.CMPF_COMPARISON_OPERATIONS
                if floats
                else arith.CMPI_COMPARISON_OPERATIONS
            )
            name = names[inner.predicate.value.data]
            return (
                {
                    **{"ugt": "max", "ogt": "max", "sgt": "max"},
                    **{"ult": "min", "olt": "min", "slt": "min"},
                }.get(name)
                if floats or name[0] == "s"
                else None
            )
    return None


def combine_extremes(
    emitter: Emitter, direction: str, values: SSAValue, indices: SSAValue
) -> list[SSAValue]:
    """The extreme of all lanes, and the least index among the lanes that hold it."""
    floats = is_float(cast(AnyVector, values.type).element_type)
    kind = f"{direction}{'imumf' if floats else 'si'}"
    best = reduce_lanes(emitter, kind, values)
    lanes = cast(AnyVector, values.type).get_shape()[0]
    everywhere = emitter.broadcast(best, lanes)
    holds = compare(emitter, "oeq" if floats else "eq", values, everywhere)
    if floats:
        # NaN, if present, is the extreme, and does not compare equal.
        nan = compare(emitter, "uno", values, values)
        holds = emitter.value(arith.OrIOp, (holds, nan))
    far = _highest(cast(AnyVector, indices.type).element_type)
    candidates = select(emitter, holds, indices, emitter.number(far, indices.type))
    return [best, reduce_lanes(emitter, "minsi", candidates)]
