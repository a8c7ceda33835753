"""A scan over the last dimension of few rows: within a vector by doubling steps, then
vector after vector.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from devproc.dialects import simd_casts
from devproc.targets.cpu.algorithms.scan.scan_vectors import ScanVectors, Values
from devproc.targets.cpu.transforms.loops.vector_types import vector_type
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


class ScanRows(ScanVectors):
    """Step k combines each lane with the one 2**k lanes before it (Hillis and Steele);
    then all lanes are combined with the carried value.
    """

    def emit(self) -> None:
        """Emit the loops over the last rows, which do not fill a square."""
        emitter, count = self.emitter, self.before % self.lanes
        first = self.before - count
        emitter.for_each(
            [count],
            self.schedule.rest_grain,
            lambda point: self._row([emitter.offset(point[0], first)]),
        )

    def _row(self, row: list[SSAValue]) -> None:
        emitter, lanes = self.emitter, self.lanes
        rest = self.size % lanes

        def step(i: SSAValue, carried: Values) -> Values:
            return self._vector([*row, i], carried, lanes)

        zero, whole = emitter.index(0), emitter.index(self.size - rest)
        carried = emitter.loop(zero, whole, lanes, self.starts(lanes), step)
        if rest:
            self._vector([*row, whole], carried, rest)

    def _vector(self, point: Values, carried: Values, count: int) -> Values:
        """Scan some elements of a row; returns the next carried value in every lane.

        The lanes before the first hold the neutral element. The carried value takes
        part in one combination only: the steps do not depend on it.
        """
        emitter, lanes, block = self.emitter, self.lanes, self.op.body.block
        body = VectorBody(emitter, lanes)
        here = [self.widen(self.load(point, count, lanes))]
        if len(carried) > 1:
            places, type_ = body.steps_from(point[-1]), vector_type(i64, lanes)
            here.append(emitter.value(simd_casts.IndexCastOp, (places,), type_))
        starts, reach = self.starts(lanes), 1
        while reach < count:
            # The last lanes of the initial values, then the first of the elements.
            mask = range(lanes - reach, 2 * lanes - reach)
            before = [
                emitter.shuffle(start, value, mask)
                for start, value in zip(starts, here, strict=True)
            ]
            here = body.inline_region(block, [*before, *here])
            reach *= 2
        done = body.inline_region(block, [*carried, *here])
        self.store(self.narrow(done), point, count)
        last = [emitter.shuffle(value, value, [lanes - 1] * lanes) for value in here]
        return body.inline_region(block, [*carried, *last])
