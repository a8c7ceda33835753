"""Replaces vectors of whole tiles by several machine vectors each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import TileEmitter, Values
from devproc.dialects.sched import JoinOp, StartOp, TermOp, TwoSumOp
from devproc.dialects.sched.tile import PartOp
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import (
    is_vector_type,
    vector_type,
)
from devproc.targets.cpu.transforms.nests.long_sums import TwoSum


class Unroller:
    """Rebuilds the loops around tiles with the code of their emitters.

    `emitters`: by the name of a nest.
    """

    def __init__(self, emitter: Emitter, emitters: Mapping[str, TileEmitter]):
        self.emitter, self.emitters = emitter, emitters
        self.parts: dict[SSAValue, Values] = {}
        """The machine vectors of each vector of a whole tile."""
        self.started: Sequence[Values] = ()
        """The sums of the tile that was started last."""
        self._replaced: list[Operation] = []

    def block(self, ops: Iterable[Operation]) -> None:
        """Append these consecutive ops with machine vectors."""
        for op in ops:
            match op:
                case PartOp():
                    self._tile(op)
                case scf.ForOp() if self._carries_sums(op):
                    self._loop(op)
                case _ if any(value in self.parts for value in op.operands):
                    self._lanewise(op)
                case _:
                    if op.parent is not None:
                        op.detach()
                    self._regions(op)
                    self.emitter.append(op)

    def erase_replaced(self) -> None:
        """Erase the ops that were replaced."""
        for op in self._replaced:
            if op.parent is not None:
                op.detach()
            op.drop_all_references()
        for op in self._replaced:
            op.erase()

    def _regions(self, op: Operation) -> None:
        """Rebuild the blocks of an op in place."""
        outside = self.emitter.block
        for region in op.regions:
            for block in region.blocks:
                ops = list(block.ops)
                for inner in ops:
                    inner.detach()
                self.emitter.block = block
                self.block(ops)
        self.emitter.block = outside

    def _tile(self, op: PartOp) -> None:
        """Emit an op by the emitter of its nest."""
        self._replaced.append(op)
        self.emitter.location = op.location
        # The sums of a block of one term begin at a constant, without a loop.
        like = self.started[0] if isinstance(op, TermOp) else ()
        given = [self._of(value, like) for value in op.operands[len(op.at) :]]
        made = self.emitters[op.nest_name].emit(op, given)
        if isinstance(op, StartOp):
            self.started = made
        self.parts |= zip(op.results, made, strict=True)

    def _carries_sums(self, op: scf.ForOp) -> bool:
        """Whether a loop carries vectors of the tile that was started last."""
        return bool(op.iter_args) and any(isinstance(o, TermOp) for o in op.walk())

    def _loop(self, op: scf.ForOp) -> None:
        """A loop that carries vectors of a tile."""
        self._replaced.append(op)
        emitter, old = self.emitter, op.body.block
        emitter.location = op.location
        like = self.started[0]
        start = self._flat([self._of(value, like) for value in op.iter_args])

        def body(index: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            self.parts |= zip(
                old.args[1:], self._grouped(carried, len(like)), strict=True
            )
            old.args[0].replace_all_uses_with(index)
            *ops, last = old.ops
            for inner in ops:
                inner.detach()
            self.block(ops)
            return self._flat([self._of(value) for value in last.operands])

        step = emitter.known[op.step]
        results = emitter.loop(op.lb, op.ub, step, start, body)
        self.parts |= zip(op.results, self._grouped(results, len(like)), strict=True)

    def _lanewise(self, op: Operation) -> None:
        """An op on vectors of the tile that was started last, for each machine
        vector."""
        self._replaced.append(op)
        emitter, like = self.emitter, self.started[0]
        two_sum = TwoSum(emitter)
        made: list[Sequence[SSAValue]] = []
        for operands in zip(*(self._of(v, like) for v in op.operands), strict=True):
            match op:
                case TwoSumOp():
                    made.append(two_sum.add(*operands))
                case JoinOp():
                    made.append([two_sum.join(*operands)])
                case _:
                    value = emitter.value(type(op), operands, None, op.properties)
                    made.append([value])
        self.parts |= zip(op.results, zip(*made, strict=True), strict=True)

    def _of(self, value: SSAValue, like: Values = ()) -> Values:
        """The machine vectors of a value; of a constant, as many as `like` and as
        long."""
        if value in self.parts:
            return self.parts[value]
        owner = value.owner
        if isinstance(owner, arith.ConstantOp) and is_vector_type(value.type) and like:
            assert isinstance(owner.value, DenseIntOrFPElementsAttr)
            (number,) = set(owner.value.get_values())
            assert not isinstance(number, tuple)
            lanes = [
                part.type.get_shape()[0] for part in like if is_vector_type(part.type)
            ]
            element = value.type.element_type
            return [self.emitter.number(number, vector_type(element, n)) for n in lanes]
        return [value] * max(len(like), 1)

    # All sums of a tile, part by part, followed by their rounding errors.

    def _flat(self, values: Sequence[Values]) -> list[SSAValue]:
        sums = len(self.started)
        groups = [values[n : n + sums] for n in range(0, len(values), sums)]
        return [
            value
            for group in groups
            for part in zip(*group, strict=True)
            for value in part
        ]

    def _grouped(self, flat: Sequence[SSAValue], count: int) -> list[Values]:
        sums = len(self.started)
        size = sums * count
        groups = [flat[n : n + size] for n in range(0, len(flat), size)]
        return [group[number::sums] for group in groups for number in range(sums)]
