"""A scan over any dimension but the last: vectors of columns, row after row."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from devproc.algorithms.scan.scan_vectors import ScanVectors, Values
from devproc.transforms.cpu.nests.vectorize_body import VectorBody

REGISTERS = 8
"""Registers of what is carried: two lines of f32 that are summed up in f64. Half of them
where the combination needs some itself."""

MOST_UNROLLED = 8
"""Elements along the axis up to which there is no loop."""


class ScanColumns(ScanVectors):
    """What is carried stays in registers while a block of columns is walked down."""

    def lower(self) -> None:
        """Emit the loops: over what stands before the axis, and over blocks."""
        registers = REGISTERS if self.is_cheap else REGISTERS // 2
        width = self.lanes * registers // len(self.types)
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
        grain = self.grain(self.before * count)
        self.emitter.for_each([self.before, count], grain, block)

    def _columns(self, index: SSAValue, start: SSAValue, count: int) -> None:
        """So many columns from `start` on."""
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
        if self.size > MOST_UNROLLED:
            zero, size = emitter.index(0), emitter.index(self.size)
            emitter.loop(zero, size, 1, carried, row)
            return
        for i in range(self.size):
            carried = row(emitter.index(i), carried)
