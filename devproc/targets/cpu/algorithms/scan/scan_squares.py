"""A scan over the last dimension of many rows: a square of elements at a time,
transposed in registers, so that each lane holds a row.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from devproc.targets.cpu.algorithms.scan.scan_vectors import ScanVectors, Values
from devproc.targets.cpu.transforms.loops.transpose import transpose_lanes
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


class ScanSquares(ScanVectors):
    """As many rows as lanes at a time: one combination for each column."""

    def emit(self) -> None:
        """Emit the loops over groups of rows, as many as lanes."""
        emitter, lanes = self.emitter, self.lanes

        def group(point: list[SSAValue]) -> None:
            self._rows(emitter.mul(point[0], emitter.index(lanes)), lanes)

        emitter.for_each([self.before // lanes], self.schedule.grain, group)

    def emit_rest(self) -> None:
        """Emit the last rows, fewer than lanes."""
        left = self.before % self.lanes
        self._rows(self.emitter.index(self.before - left), left)

    def _rows(self, first: SSAValue, count: int) -> None:
        """A group of rows from `first` on, no more than lanes."""
        emitter, lanes = self.emitter, self.lanes
        rows = [emitter.offset(first, row) for row in range(count)]

        def step(i: SSAValue, carried: Values) -> Values:
            return self._square(rows, i, carried, lanes)

        rest = self.size % lanes
        zero, whole = emitter.index(0), emitter.index(self.size - rest)
        carried = emitter.loop(zero, whole, lanes, self.starts(lanes), step)
        if rest:
            self._square(rows, whole, carried, rest)

    def _square(
        self, rows: Values, start: SSAValue, carried: Values, count: int
    ) -> Values:
        """Scan some columns of a group of rows; returns the carried values."""
        emitter, lanes = self.emitter, self.lanes
        body = VectorBody(emitter, lanes)
        lines = [self.load([row, start], count, lanes) for row in rows]
        lines += lines[-1:] * (lanes - len(rows))
        turned: list[Values] = []
        for j, column in enumerate(transpose_lanes(emitter, lines)[:count]):
            here = [self.widen(column)]
            if len(carried) > 1:
                index = emitter.offset(start, j)
                place = emitter.value(arith.IndexCastOp, (index,), i64)
                here.append(body.widen(place))
            carried = body.inline_region(self.op.body.block, [*carried, *here])
            turned.append(self.narrow(carried))
        # Lanes past the last column are undefined.
        turned += turned[-1:] * (lanes - count)
        outputs = [
            transpose_lanes(emitter, [column[k] for column in turned])
            for k in range(len(self.outputs))
        ]
        for k, row in enumerate(rows):
            self.store([lines[k] for lines in outputs], [row, start], count)
        return carried
