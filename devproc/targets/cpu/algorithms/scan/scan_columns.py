"""A scan over any dimension but the last: vectors of columns, row after row."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from devproc.targets.cpu.algorithms.scan.plan import width_of
from devproc.targets.cpu.algorithms.scan.scan_vectors import ScanVectors, Values
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


class ScanColumns(ScanVectors):
    """Keeps the carried values of a block of columns in registers along the axis."""

    def emit(self) -> None:
        """Emit the loops: over the dimensions before the axis, and over blocks."""
        width = width_of(self.nest, self.lanes, self.schedule.registers)
        whole, rest = divmod(self.after, width)

        def block(point: list[SSAValue]) -> None:
            index, number = point
            start = self.emitter.mul(number, self.emitter.index(width))
            if not whole or not rest:
                self._columns(index, start, rest or width)
                return
            self.emitter.branch_below(
                number,
                whole,
                lambda: self._columns(index, start, width),
                lambda: self._columns(index, start, rest),
            )

        count = whole + (rest > 0)
        self.emitter.for_each([self.before, count], self.schedule.grain, block)

    def _columns(self, index: SSAValue, start: SSAValue, count: int) -> None:
        """A block of columns from `start` on."""
        emitter, body = self.emitter, VectorBody(self.emitter, count)

        def row(i: SSAValue, carried: Values) -> Values:
            point = [index, i, start][: 2 + (self.after > 1)]
            here = [self.widen(self.load(point, count, count))]
            if len(carried) > 1:
                place = emitter.value(arith.IndexCastOp, (i,), i64)
                here.append(place if count == 1 else body.widen(place))
            done = body.inline_region(self.op.body.block, [*carried, *here])
            self.store(self.narrow(done), point, count)
            return done

        carried: Values = self.starts(count)
        if not self.schedule.unroll:
            zero, size = emitter.index(0), emitter.index(self.size)
            emitter.loop(zero, size, 1, carried, row)
            return
        for i in range(self.size):
            carried = row(emitter.index(i), carried)
