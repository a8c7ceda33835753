"""The nest of an attention: its ops by role, and what hides a key from a query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.dialects.linalg.ops import FillOp, IndexOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.algorithms.base import KernelOps
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.targets.triton.transforms.to_triton.generic import Generic, memref_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest, whole

NONE = float("-inf")
"""The score of a hidden key."""

FILLS = 4
"""Of the scores, their maxima, the sums of weights and the weighted values."""

FEW_ROWS = 64
"""Queries of several heads with the same keys are rows of one block up to this many."""


@dataclass(frozen=True)
class Band:
    """The keys t that query s sees: low <= t - s <= high; None: not bounded."""

    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class Bound:
    """The keys t that a row sees, by a number of it: t <= last, and last - window < t."""

    last: int
    """The input of the second generic that has it."""
    window: int | None = None
    part: tuple[int, int] | None = None
    """The loop over parts of the keys, and the keys of each; None if there is one."""


@dataclass(frozen=True)
class Weighing:
    """How scores become weights: the ops of the body of the second generic."""

    score: SSAValue
    """The score before hidden keys are set to minus infinity."""
    scale: float | None
    """Its only factor; None if it is anything but `product * scale`, with scale > 0."""
    conditions: tuple[SSAValue, ...]
    """The values that all have to be true, or else the key is hidden; without `band` and
    `bound`."""
    band: Band
    bound: Bound | None


class Attention(BlockNest):
    """The ops of the normal form (`ir/program/structured.py`): a whole attention, or a part
    of the keys, whose maxima, sums and weighted values are its results."""

    @lazy_property
    def steps(self) -> tuple[Generic, ...]:
        """The ops without fills: scores, weighted, maxima, powers, sums, mixed, result."""
        return tuple(g for g in self.generics if not isinstance(g.op, FillOp))

    @property
    def scores(self) -> Generic:
        """scores[head..., s, t] += q[s, d] * k[t, d]."""
        return self.steps[0]

    @property
    def mixed(self) -> Generic:
        """mixed[head..., s, e] += power[s, t] * v[t, e]."""
        return self.steps[5]

    @property
    def result(self) -> Generic | None:
        """The quotient of mixed values and sums; None for a part of the keys."""
        return self.steps[6] if len(self.steps) > 6 else None

    @property
    def head_dims(self) -> tuple[int, ...]:
        """The loops over heads; `s` follows them in all ops."""
        return tuple(range(len(self.scores.extents) - 3))

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Queries and keys of a head; elements of a query and of a value."""
        queries, keys, depth = self.scores.extents[-3:]
        return queries, keys, depth, self.mixed.extents[-2]

    @lazy_property
    def rows(self) -> tuple[int, ...]:
        """The loops whose points are the rows of blocks: the queries, and if they are few
        also heads that share their keys."""
        count = len(self.head_dims)
        rows, total = (count,), self.scores.extents[count]
        if self.weighing.band != Band():
            return rows
        shared = [(self.scores, 1), (self.mixed, 1)]
        for dim in reversed(self.head_dims):
            extent = self.scores.extents[dim]
            used = any(dim in used_dims(op.maps[index]) for op, index in shared)
            if not used and total * extent <= FEW_ROWS:
                rows, total = (dim, *rows), total * extent
        return rows

    @property
    def outer(self) -> tuple[int, ...]:
        """The loops over heads that are not rows: each point is a program."""
        return tuple(d for d in self.head_dims if d not in self.rows)

    @property
    def heads(self) -> int:
        """The points of the outer loops."""
        return prod(self.scores.extents[d] for d in self.outer)

    @property
    def row_count(self) -> int:
        """The rows of all blocks of a head."""
        return prod(self.scores.extents[d] for d in self.rows)

    @property
    def element(self) -> object:
        """The type of queries, keys and values in memory."""
        return memref_of(self.scores.inputs[0]).element_type

    @lazy_property
    def weighing(self) -> Weighing:
        """What the scores are multiplied by, and which are hidden."""
        block = self.steps[1].block
        assert block.last_op is not None
        score, seen = block.last_op.operands[0], list[SSAValue]()
        op = score.owner
        if isinstance(op, arith.SelectOp) and number(op.rhs) == NONE:
            score, seen = op.lhs, list(conjuncts(op.cond))
        band, conditions = Band(), list[SSAValue]()
        bound: Bound | None = None
        count = len(self.head_dims)
        for condition in seen:
            if (row := row_bound(condition, count + 1)) is not None:
                bound = row if row.window is not None else bound or row
            elif not isinstance(found := limit(condition, count, count + 1), Band):
                conditions.append(condition)
            else:
                band = Band(
                    _tighter(max, band.low, found.low),
                    _tighter(min, band.high, found.high),
                )
        scale = self._scale(score)
        return Weighing(score, scale, tuple(conditions), band, bound)

    def _scale(self, score: SSAValue) -> float | None:
        op = score.owner
        if (
            not isinstance(op, arith.MulfOp)
            or op.lhs is not self.steps[1].block.args[0]
        ):
            return None
        factor = number(op.rhs)
        return factor if isinstance(factor, float) and 0 < factor < NONE * -1 else None


def match(kernel: KernelOps) -> Iterator[Attention]:
    """The ops of a kernel of attention as one nest."""
    if kernel.family != "attention":
        return
    for nest in whole(kernel):
        found = Attention(nest.generics)
        if len(nest.generics) - len(found.steps) == FILLS and len(found.steps) in (
            6,
            7,
        ):
            yield found


def used_dims(map_: AffineMap) -> set[int]:
    """The loops that an access depends on."""
    return {d for expr in map_.results for d in expr.used_dims()}


def number(value: SSAValue) -> float | int | None:
    """The number of a constant; None for other values."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(
        op.value, FloatAttr | IntegerAttr
    ):
        return op.value.value.data
    return None


def conjuncts(condition: SSAValue) -> Iterator[SSAValue]:
    """The conditions that a conjunction consists of."""
    op = condition.owner
    if isinstance(op, arith.AndIOp):
        yield from conjuncts(op.lhs)
        yield from conjuncts(op.rhs)
    else:
        yield condition


def limit(condition: SSAValue, query: int, key: int) -> Band | None:
    """The band of `n <= key - query` or `key - query <= n`; None for other conditions."""
    op = condition.owner
    if not isinstance(op, arith.CmpiOp) or op.predicate.value.data != SIGNED_AT_MOST:
        return None
    if _is_place(op.rhs.owner, query, key) and isinstance(low := number(op.lhs), int):
        return Band(low=low)
    if _is_place(op.lhs.owner, query, key) and isinstance(high := number(op.rhs), int):
        return Band(high=high)
    return None


def row_bound(condition: SSAValue, key: int) -> Bound | None:
    """The bound of `t <= last` or `last - window < t`, with the number `last` of a row; None
    for other conditions."""
    op = condition.owner
    if not isinstance(op, arith.CmpiOp):
        return None
    predicate, window, (place, limit) = op.predicate.value.data, None, op.operands
    if predicate == SIGNED_BELOW and isinstance(op.lhs.owner, arith.SubiOp):
        (limit, place), window = op.operands, number(op.lhs.owner.rhs)
        limit = op.lhs.owner.lhs
    elif predicate != SIGNED_AT_MOST:
        return None
    cast, is_place, part = limit.owner, *_place_of(place, key)
    if not is_place or not isinstance(cast, arith.IndexCastOp):
        return None
    if not isinstance(cast.input, BlockArgument) or isinstance(window, float):
        return None
    return Bound(cast.input.index, window, part)


def _place_of(value: SSAValue, key: int) -> tuple[bool, tuple[int, int] | None]:
    """Whether a value is the place of a key among all, and the loop over parts and their
    size if they have one: `part * size + t`."""
    op, part = value.owner, None
    if isinstance(op, arith.AddiOp) and isinstance(op.lhs.owner, arith.MuliOp):
        first, size = op.lhs.owner.lhs.owner, number(op.lhs.owner.rhs)
        if not isinstance(first, IndexOp) or not isinstance(size, int):
            return False, None
        op, part = op.rhs.owner, (first.dim.value.data, size)
    return isinstance(op, IndexOp) and op.dim.value.data == key, part


SIGNED_BELOW = arith.CMPI_COMPARISON_OPERATIONS.index("slt")
SIGNED_AT_MOST = arith.CMPI_COMPARISON_OPERATIONS.index("sle")


def _is_place(op: object, query: int, key: int) -> bool:
    return (
        isinstance(op, arith.SubiOp)
        and isinstance(op.lhs.owner, IndexOp)
        and isinstance(op.rhs.owner, IndexOp)
        and (op.lhs.owner.dim.value.data, op.rhs.owner.dim.value.data) == (key, query)
    )


def _tighter(choose: object, a: int | None, b: int | None) -> int | None:
    if a is None or b is None:
        return b if a is None else a
    return choose(a, b)  # type: ignore[operator]


def scalar_op(value: SSAValue) -> Operation:
    """The op of a body that computes a value."""
    assert isinstance(value.owner, Operation)
    return value.owner
