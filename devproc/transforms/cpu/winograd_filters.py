"""Emits the transforms of a Winograd convolution's filters, a few at a time.

Transformed, 3x3 filters are four times as many numbers (F(4, 3)); from memory they would
come slower than they are used. So a kernel reads the filters as they are, front to back,
and transforms those of a few channels into scratch, a few lines of G g G^T at a time: that
scratch never leaves the first cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects.builtin import MemRefType, f32
from xdsl.ir import SSAValue

from devproc.dialects.dev import OnAttr, WinogradAttr
from devproc.dialects.plan import ViewOp
from devproc.ir.winograd import TAPS, Matrix, filter_matrix, points_of
from devproc.transforms.cpu.access import physical_view
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.lanewise import Lanewise
from devproc.transforms.cpu.transform_lines import transform_line
from devproc.transforms.cpu.vector_types import memref_of

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
        self.matrix: Matrix = filter_matrix(layout.tile.data)
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

        def lines_of(number: int) -> Matrix:
            return self.matrix[max(0, 2 * number - 1) : 2 * number + 1]

        def channel(k: SSAValue) -> None:
            def emit(number: int) -> None:
                where = (panel, emitter.add(first, k))

                def columns(offset: SSAValue) -> None:
                    self._transform(lines_of(number), where, offset, k)

                end = emitter.index(self.width)
                emitter.loop_between(emitter.index(0), end, columns, self.lanes)

            self._choose(group, 0, emit)

        emitter.loop_to(self.depth, channel)

    def _choose(
        self, group: SSAValue, number: int, emit: Callable[[int], None]
    ) -> None:
        """The code of the group, among those from `number` on."""
        if number == self.groups - 1:
            emit(number)
            return
        self.emitter.branch_below(
            group,
            number + 1,
            lambda: emit(number),
            lambda: self._choose(group, number + 1, emit),
        )

    def _transform(
        self, lines: Matrix, where: Sequence[SSAValue], offset: SSAValue, k: SSAValue
    ) -> None:
        emitter = self.emitter

        def tap(line: int, column: int) -> SSAValue:
            at = (*where, emitter.index(line * TAPS + column), offset)
            return emitter.load_vector(self.weight, at, self.lanes)

        columns = [
            transform_line(self.lanewise, lines, [tap(line, c) for line in range(TAPS)])
            for c in range(TAPS)
        ]
        for number in range(len(lines)):
            line = [column[number] for column in columns]
            done = transform_line(self.lanewise, self.matrix, line)
            for point, value in enumerate(done, number * self.points):
                at = (emitter.index(point), k, offset)
                emitter.store_vector(value, self.transformed, at)

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
