"""Emits the transforms of a Winograd convolution's filters, a few at a time.

Transformed, 3x3 filters have four times as many elements (F(4, 3)), and products would
be bound by reading them from memory. So a kernel reads the filters untransformed,
sequentially, and transforms those of a few channels into scratch, a line of G g G^T at
a time: this scratch stays in the L1 cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from devproc.dialects.sched import WinogradSchedule
from devproc.ir.layouts.winograd import TAPS, Matrix, filter_matrix, points_of
from devproc.targets.cpu.transforms.loops.access import physical_view, view_as
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise, compare, select
from devproc.targets.cpu.transforms.loops.vector_types import memref_of
from devproc.targets.cpu.transforms.nests.prefetch import Prefetch, line_elements
from devproc.targets.cpu.transforms.nests.transform_lines import (
    as_float32,
    transform_line,
)

Values: TypeAlias = Sequence[SSAValue]

LineOf: TypeAlias = Callable[[Callable[[SSAValue], SSAValue]], Values]
"""Computes a line of G g from a function that loads a tap by its number."""

PointsOf: TypeAlias = Callable[[SSAValue, SSAValue], Values]
"""Computes a line of G g G^T for a channel of a part and a vector of a panel."""


class WinogradFilters:
    """The filters of one convolution: its weight, and scratch for some transforms.

    `depth` channels are a part. The points of a tile are processed line by line: the
    transforms of one line stay in the L1 cache alongside their factors.
    """

    def __init__(
        self,
        emitter: Emitter,
        lanewise: Lanewise,
        weight: SSAValue,
        schedule: WinogradSchedule,
        lanes: int,
    ):
        self.emitter, self.lanewise, self.lanes = emitter, lanewise, lanes
        self.schedule, layout = schedule, schedule.weight
        self.width, self.depth = layout.width.data, schedule.depth
        self.matrix = as_float32(filter_matrix(layout.tile.data))
        self.points = points_of(layout.tile.data)
        self.weight = physical_view(emitter, weight)
        self.parts = memref_of(self.weight).get_shape()[1] // self.depth
        self.offsets = [emitter.index(v) for v in range(0, self.width, lanes)]
        count = prod(memref_of(self.weight).get_shape())
        self.flat = view_as(emitter, self.weight, (count,))

    def keep_in(self, transformed: SSAValue) -> None:
        """Set the scratch for one line of points of the transforms of one part."""
        self.transformed = transformed

    def load(self, column: SSAValue, k: SSAValue) -> list[SSAValue]:
        """The factors at one point of the line, for one channel of the part."""
        return [
            self.emitter.load_vector(self.transformed, (column, k, offset), self.lanes)
            for offset in self.offsets
        ]

    def transform(self, panel: SSAValue, part: SSAValue, line: SSAValue) -> None:
        """One line of G g G^T, for the channels of a part, into scratch."""
        emitter, end = self.emitter, self.emitter.index(self.width)

        def store(points: PointsOf, _is_outer: bool) -> None:
            def vectors(offset: SSAValue) -> None:
                def channel(k: SSAValue) -> None:
                    for point, value in enumerate(points(k, offset)):
                        place = (emitter.index(point), k, offset)
                        emitter.store_vector(value, self.transformed, place)

                emitter.loop_to(self.depth, channel)

            emitter.loop_between(emitter.index(0), end, vectors, self.lanes)

        self.on_line(panel, part, line, store)

    def on_line(
        self,
        panel: SSAValue,
        part: SSAValue,
        line: SSAValue,
        body: Callable[[PointsOf, bool], None],
    ) -> None:
        """Emit `body` with a function that computes a line of G g G^T, for the channels
        of a part, and whether it is the first or the last line."""
        emitter = self.emitter
        first = emitter.mul(part, emitter.index(self.depth))

        def points(line_of: LineOf, k: SSAValue, offset: SSAValue) -> Values:
            def tap(number: SSAValue) -> SSAValue:
                place = (panel, emitter.add(first, k), number, offset)
                return emitter.load_vector(self.weight, place, self.lanes)

            return transform_line(self.lanewise, self.matrix, line_of(tap))

        # Negative for the first line: unsigned, it is larger than any bound.
        middle = emitter.sub(line, emitter.index(1))
        emitter.branch_below(
            middle,
            self.points - 2,
            lambda: body(partial(points, self._middle_line(middle)), False),
            lambda: body(partial(points, self._outer_line(line)), True),
        )

    def _outer_line(self, line: SSAValue) -> LineOf:
        """The first or the last line of G g: the first or the last line of taps."""
        emitter = self.emitter
        is_last = emitter.minimum(line, emitter.index(1))
        start = emitter.mul(is_last, emitter.index((TAPS - 1) * TAPS))
        return lambda tap: [tap(emitter.offset(start, c)) for c in range(TAPS)]

    def _middle_line(self, middle: SSAValue) -> LineOf:
        """A line of G g for the point p: upper + p middle + p^2 lower taps."""
        emitter, lanewise = self.emitter, self.lanewise
        power, square = self._choose(middle, self.matrix[1:-1, 1:])

        def line_of(tap: Callable[[SSAValue], SSAValue]) -> Values:
            done: list[SSAValue] = []
            for column in range(TAPS):
                upper, center, lower = (
                    tap(emitter.index(row * TAPS + column)) for row in range(TAPS)
                )
                even = lanewise.fma(lower, square, upper)
                done.append(lanewise.fma(center, power, even))
            return done

        return line_of

    def _choose(self, number: SSAValue, rows: Matrix) -> list[SSAValue]:
        """The factors in the row of this number, broadcast to all lanes."""
        emitter = self.emitter
        is_row = [
            compare(emitter, "eq", number, emitter.index(row))
            for row in range(len(rows) - 1)
        ]
        factors: list[SSAValue] = []
        for *column, last in rows.T.tolist():
            chosen = emitter.number(last, f32)
            for is_this, factor in zip(is_row, column, strict=True):
                chosen = select(emitter, is_this, emitter.number(factor, f32), chosen)
            factors.append(emitter.broadcast(chosen, self.lanes))
        return factors

    # Memory.

    def ahead(
        self, panel: SSAValue, part: SSAValue, piece: SSAValue, pieces: int, terms: int
    ) -> Prefetch:
        """The share of the filters of a later part that one of `pieces` of the work of
        a part prefetches, in `terms` steps."""
        emitter = self.emitter
        size = self.depth * TAPS**2 * self.width
        line = line_elements(self.flat)
        step = -(-size // (line * pieces * terms)) * line
        share = step * terms
        number = emitter.add(emitter.mul(panel, emitter.index(self.parts)), part)
        number = emitter.offset(number, self.schedule.prefetch)
        start = emitter.mul(number, emitter.index(size))
        start = emitter.add(start, emitter.mul(piece, emitter.index(share)))
        (count,) = memref_of(self.flat).get_shape()
        start = emitter.minimum(start, emitter.index(count - share))
        return Prefetch(self.flat, start, step)
