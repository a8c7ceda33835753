"""Emits the transforms of a Winograd convolution's filters, a few at a time.

Transformed, 3x3 filters are four times as many numbers (F(4, 3)); from memory they would
come slower than they are used. So a kernel reads the filters as they are, front to back,
and transforms those of a few channels into scratch, a few lines of G g G^T at a time: that
scratch never leaves the first cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import MemRefType, f32
from xdsl.ir import SSAValue

from devproc.dialects.dev import OnAttr, WinogradAttr
from devproc.dialects.plan import ViewOp
from devproc.ir.winograd import TAPS, Matrix, filter_matrix, points_of
from devproc.transforms.cpu.access import physical_view
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.lanewise import Lanewise, compare, select
from devproc.transforms.cpu.transform_lines import as_float32, transform_line
from devproc.transforms.cpu.vector_types import memref_of

Values: TypeAlias = Sequence[SSAValue]

LinesOf: TypeAlias = Callable[[Callable[[SSAValue], SSAValue]], list[Values]]
"""Lines of G g from what loads a tap by its number."""

PARTS_AHEAD = 4
"""Parts between the filters that are asked for and those at work: memory that others use,
too, answers late."""


class WinogradFilters:
    """The filters of one convolution: its weight, and scratch for some transforms.

    `depth` channels are a part. The points of a tile are taken in groups of lines: the
    first line, pairs of lines that differ in signs, and the last one.
    """

    def __init__(
        self,
        emitter: Emitter,
        lanewise: Lanewise,
        weight: SSAValue,
        layout: WinogradAttr,
        lanes: int,
        depth: int,
    ):
        self.emitter, self.lanewise, self.lanes = emitter, lanewise, lanes
        self.width, self.depth = layout.width.data, depth
        self.matrix = as_float32(filter_matrix(layout.tile.data))
        self.points = points_of(layout.tile.data)
        self.weight = physical_view(emitter, weight)
        self.parts = memref_of(self.weight).get_shape()[1] // depth
        self.offsets = [emitter.index(v) for v in range(0, self.width, lanes)]
        self.lines = self._as_lines(weight)

    def _as_lines(self, weight: SSAValue) -> SSAValue:
        """The weight as vectors, one behind the other."""
        count = prod(memref_of(self.weight).get_shape()) // self.lanes
        type_ = MemRefType(f32, (count, self.lanes), memory_space=OnAttr.get("cpu"))
        return self.emitter.append(ViewOp(weight, type_)).results[0]

    def make_room(self) -> None:
        """Scratch for the transforms of one part and one group of lines."""
        shape = (2 * self.points, self.depth | 1, self.width)
        self.transformed = self.emitter.stack(*shape)

    # Groups of lines.

    @property
    def groups(self) -> int:
        """How many there are."""
        return self.points // 2 + 1

    def points_of_group(self, group: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The first point of a group of lines, and the one behind its last."""
        emitter, count = self.emitter, self.points
        middle = emitter.mul(group, emitter.index(2 * count))
        lower = emitter.sub(middle, emitter.minimum(middle, emitter.index(count)))
        upper = emitter.minimum(emitter.offset(middle, count), emitter.index(count**2))
        return lower, upper

    def load(self, number: SSAValue, k: SSAValue) -> list[SSAValue]:
        """The factors at one point of the group, for one channel of the part."""
        return [
            self.emitter.load_vector(self.transformed, (number, k, offset), self.lanes)
            for offset in self.offsets
        ]

    def transform(self, panel: SSAValue, part: SSAValue, group: SSAValue) -> None:
        """The lines of a group, for the channels of a part."""
        emitter = self.emitter
        first = emitter.mul(part, emitter.index(self.depth))
        # Of the first group this is below zero, which as an index is above all others.
        pair = emitter.sub(group, emitter.index(1))
        emitter.branch_below(
            pair,
            self.groups - 2,
            lambda: self._channels(panel, first, self._pair_of_lines(pair)),
            lambda: self._channels(panel, first, self._single_line(group)),
        )

    def _channels(self, panel: SSAValue, first: SSAValue, lines_of: LinesOf) -> None:
        """G g G^T for the lines that `lines_of` makes of the taps of each channel."""
        emitter, end = self.emitter, self.emitter.index(self.width)

        def channel(k: SSAValue) -> None:
            where = (panel, emitter.add(first, k))

            def vectors(offset: SSAValue) -> None:
                def tap(number: SSAValue) -> SSAValue:
                    place = (*where, number, offset)
                    return emitter.load_vector(self.weight, place, self.lanes)

                for number, line in enumerate(lines_of(tap)):
                    done = transform_line(self.lanewise, self.matrix, line)
                    for point, value in enumerate(done, number * self.points):
                        place = (emitter.index(point), k, offset)
                        emitter.store_vector(value, self.transformed, place)

            emitter.loop_between(emitter.index(0), end, vectors, self.lanes)

        emitter.loop_to(self.depth, channel)

    def _single_line(self, group: SSAValue) -> LinesOf:
        """The first or the last line of G g: a line of taps and a factor."""
        emitter = self.emitter
        last = emitter.minimum(group, emitter.index(1))
        start = emitter.mul(last, emitter.index((TAPS - 1) * TAPS))
        # Of the first line the first number, of the last one the last.
        (factor,) = self._choose(last, self.matrix[[0, -1], [0, -1]].reshape(2, 1))

        def lines_of(tap: Callable[[SSAValue], SSAValue]) -> list[Values]:
            taps = [tap(emitter.offset(start, column)) for column in range(TAPS)]
            return [[self.lanewise.mul(value, factor) for value in taps]]

        return lines_of

    def _pair_of_lines(self, pair: SSAValue) -> LinesOf:
        """Two lines of G g that differ in the sign of what the middle taps give."""
        emitter, lanewise = self.emitter, self.lanewise
        factors = self._choose(pair, self.matrix[1:-1:2])

        def lines_of(tap: Callable[[SSAValue], SSAValue]) -> list[Values]:
            sums: list[SSAValue] = []
            differences: list[SSAValue] = []
            for column in range(TAPS):
                upper, middle, lower = (
                    tap(emitter.index(line * TAPS + column)) for line in range(TAPS)
                )
                even = lanewise.mul(upper, factors[0])
                even = lanewise.fma(lower, factors[2], even)
                odd = lanewise.mul(middle, factors[1])
                sums.append(lanewise.add(even, odd))
                differences.append(lanewise.sub(even, odd))
            return [sums, differences]

        return lines_of

    def _choose(self, number: SSAValue, rows: Matrix) -> list[SSAValue]:
        """The factors in the row of this number, of two at most, in every lane."""
        emitter, first, last = self.emitter, rows[0].tolist(), rows[-1].tolist()
        if first == last:
            return [self.lanewise.number(factor) for factor in first]
        is_first = compare(emitter, "eq", number, emitter.index(0))
        factors: list[SSAValue] = []
        for pair in zip(first, last, strict=True):
            numbers = [emitter.number(factor, f32) for factor in pair]
            chosen = select(emitter, is_first, *numbers)
            factors.append(emitter.broadcast(chosen, self.lanes))
        return factors

    # Memory.

    def prefetch(self, panel: SSAValue, part: SSAValue, point: SSAValue) -> None:
        """Ask for filters of a later part: at each point for its share of them."""
        emitter = self.emitter
        size = self.depth * TAPS**2 * self.width // self.lanes
        each = -(-size // self.points**2)
        line = emitter.add(emitter.mul(panel, emitter.index(self.parts)), part)
        line = emitter.mul(emitter.offset(line, PARTS_AHEAD), emitter.index(size))
        line = emitter.add(line, emitter.mul(point, emitter.index(each)))
        last = memref_of(self.lines).get_shape()[0] - each
        line = emitter.minimum(line, emitter.index(last))
        for number in range(each):
            where = (emitter.offset(line, number), emitter.index(0))
            emitter.prefetch(self.lines, where)
