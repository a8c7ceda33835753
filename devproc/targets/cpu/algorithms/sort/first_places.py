"""The positions of the first elements of an order, in memory order; rows over
threads."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from devproc.dialects.linalg_ext.order import FirstPlacesOp
from devproc.targets.cpu.algorithms.sort.order_loops import OrderLoops
from devproc.targets.cpu.transforms.loops.lanewise import compare, select
from devproc.targets.cpu.transforms.loops.sparse_visits import visit_sparse
from devproc.targets.cpu.transforms.loops.vector_types import INDEX


class FirstPlaces(OrderLoops[FirstPlacesOp]):
    """Records, from left to right, the elements that do not come after the given one.

    For every other element the last recorded position is written again, so that no
    branch depends on an element and nothing is written past the last result.
    """

    def _row(self, row: list[SSAValue]) -> None:
        emitter, zero, one = self.emitter, self.emitter.index(0), self.emitter.index(1)
        last = emitter.load(self.op.last, [*row, zero])
        last = emitter.value(arith.IndexCastOp, (last,), INDEX)
        key = emitter.load(self.op.operand, [*row, last])

        def passes(x: SSAValue) -> SSAValue:
            return compare(emitter, "sle", x, emitter.broadcast(key, self.lanes))

        def note(i: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            count, noted = carried
            x = emitter.load(self.op.operand, [*row, i])
            tie = emitter.value(
                arith.AndIOp,
                (compare(emitter, "eq", x, key), compare(emitter, "sle", i, last)),
            )
            first = compare(emitter, "slt", x, key)
            first = emitter.value(arith.OrIOp, (first, tie))
            count = emitter.add(count, select(emitter, first, one, zero))
            noted = select(emitter, first, i, noted)
            # Before the first one, writes to the slot of the first.
            target = emitter.sub(emitter.value(arith.MaxUIOp, (count, one)), one)
            place = emitter.value(arith.IndexCastOp, (noted,), i64)
            emitter.store(place, self.op.places, [*row, target])
            return [count, noted]

        source, elements = (self.op.operand, row), range(self.size)
        block = (self.lanes, self.vectors)
        visit_sparse(emitter, source, elements, block, passes, [zero, zero], note)
