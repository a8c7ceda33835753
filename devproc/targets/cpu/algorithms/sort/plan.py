"""Plans an order: the method follows from the op; vectors and threads."""

from __future__ import annotations

from math import prod
from typing import TypeAlias

from devproc.algorithms.base import Choice, Decision
from devproc.algorithms.single_op import SingleOp, match_each, sharing_problem
from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.order import FirstPlacesOp, KthValueOp, OrderOp, SortOp
from devproc.dialects.sched import SortSchedule
from devproc.ir.types import item_size
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import grain_of, lanes_of
from devproc.targets.cpu.transforms.loops.sparse_visits import BLOCK
from devproc.targets.cpu.transforms.loops.vector_types import memref_of

MOST_RANKED = 4
"""Vectors of elements that are compared with another one together, in registers."""

SEARCHED = 2
"""Vectors that a step of a search counts together, each with a separate sum."""

PAIRS = 4
"""Pairs of elements that are compared in the time of a scalar operation."""

STEP_WORK = 8
"""Scalar operations per element: for each of its digits, or to be rejected."""

DIGITS = 4
"""Digits in 32 bits of a key."""

WANTED = {
    "ranks": "all elements are wanted, without room to move them",
    "digits": "all elements are wanted, with room to move them",
    "insertion": "the first elements are wanted, in order",
    "search": "elements of given ranks are wanted",
    "first": "the elements up to a given one are wanted",
}
"""The results that an op computes, by the method."""

OrderNest: TypeAlias = SingleOp[OrderOp]

match = match_each((SortOp, KthValueOp, FirstPlacesOp), SingleOp[OrderOp])


def plan(nest: OrderNest, family: str, target: TargetAttr) -> Decision:
    """The schedule with the method of the op; rows are spread over threads."""
    op = nest.op
    *rows, size = memref_of(op.operand).get_shape()
    by = way_of(op)
    grain = grain_of(prod(rows), _work(op, by, target), target.threads.data)
    schedule = SortSchedule(by=by, vectors=_vectors(op, by, target), grain=grain)
    return Choice(schedule, f"{WANTED[by]}: {prod(rows)} rows of {size} elements")


def refuse(nest: OrderNest, schedule: SortSchedule, target: TargetAttr) -> str | None:
    """Why a schedule is not legal; the op determines the method."""
    way = way_of(nest.op)
    if schedule.by != way:
        return f"'by' must be {way}: {WANTED[way]}"
    *rows, size = memref_of(nest.op.operand).get_shape()
    lanes = _lanes(nest.op, target)
    most = max(1, -(-size // lanes))
    if way == "ranks" and schedule.vectors > most:
        return f"'vectors' must be at most {most}: a row has {size} elements"
    return sharing_problem(rows, schedule.grain)


def way_of(op: OrderOp) -> str:
    """The method for an op."""
    if isinstance(op, KthValueOp):
        return "search"
    if isinstance(op, FirstPlacesOp):
        return "first"
    # Few first elements, as decided when the op was created.
    if memref_of(op.places).get_shape() != memref_of(op.operand).get_shape():
        return "insertion"
    assert isinstance(op, SortOp)
    return "ranks" if op.room is None else "digits"


def _vectors(op: OrderOp, by: str, target: TargetAttr) -> int:
    """Vectors of elements that are processed together."""
    if by == "ranks":
        size = memref_of(op.operand).get_shape()[-1]
        return max(1, min(MOST_RANKED, -(-size // _lanes(op, target))))
    return {"digits": 1, "search": SEARCHED}.get(by, BLOCK)


def _work(op: OrderOp, by: str, target: TargetAttr) -> int:
    """Scalar operations of the whole op."""
    type_ = memref_of(op.operand)
    elements = prod(type_.get_shape())
    words = item_size(type_.element_type) // 4
    if by == "ranks":
        return elements * type_.get_shape()[-1] // PAIRS
    if by == "digits":
        return elements * words * DIGITS * STEP_WORK
    if isinstance(op, KthValueOp):
        # One step per bit of the key.
        ranks = memref_of(op.ranks).get_shape()[-1]
        return ranks * 32 * words * elements // _lanes(op, target)
    return elements * STEP_WORK


def _lanes(op: OrderOp, target: TargetAttr) -> int:
    return lanes_of(
        memref_of(op.operand).element_type, machine_of(target).vector_bits.data
    )
