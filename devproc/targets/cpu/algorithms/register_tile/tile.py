"""One register tile of a contraction, from its initial accumulators to its stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from devproc.dialects.sched import RegisterTileSchedule
from devproc.targets.cpu.algorithms.register_tile.factor_readers import (
    Panel,
    PanelReader,
    RowReader,
)
from devproc.targets.cpu.algorithms.register_tile.loops import Box
from devproc.targets.cpu.algorithms.register_tile.roles import Roles, outer_product
from devproc.targets.cpu.transforms.nests.block_sums import (
    BlockSums,
    streams_of,
    sum_in_streams,
)
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest_emitter import Part, PartEmitter, Values
from devproc.targets.cpu.transforms.nests.prefetch import Prefetch, ask_for_result


class RegisterTile(BlockSums):
    """Some rows of a panel; accumulators row by row, vector by vector."""

    def __init__(
        self,
        context: PartEmitter,
        roles: Roles,
        schedule: RegisterTileSchedule,
        readers: tuple[RowReader, PanelReader],
    ):
        sizes, point = roles.nest.sizes, context.point
        super().__init__(context.emitter, sizes, point, schedule.block)
        self.context, self.roles, self.schedule = context, roles, schedule
        self.left, self.right = readers
        self.rows: Sequence[SSAValue] = ()
        self.parts: Sequence[Part] = ()
        self.prefetch: Prefetch | None = None

    def emit(self, box: Box) -> None:
        """The whole sum, the epilogue and the stores."""
        self.prefetch = box.prefetch
        self.stand_at(box.row, box.rows, box.panel)
        self.emit_sums()

    def emit_sums(self) -> None:
        """The sum, epilogue and stores of the tile that was begun."""
        start = self.start()
        for number in self.schedule.prefetch_results:
            self.prefetch_result(self.roles.nest.results[number])
        self.finish(self.sum(self.roles.nest.reductions, start))

    def stand_at(self, row: SSAValue, rows: int, panel: Panel) -> None:
        """Begin a tile with its first row, its number of rows and its panel."""
        self.rows = [self.emitter.offset(row, number) for number in range(rows)]
        self.panel = panel
        self.parts = self.context.parts(panel.start, panel.size)
        self.left.stand_at(self.rows)

    def start(self) -> Values:
        """The accumulators before the first term, row by row, vector by vector."""
        found: list[SSAValue] = []
        for row in self.rows:
            self._stand_at_row(row)
            for part in self.parts:
                (value,) = self.context.start(part)
                assert value is not None
                found.append(part.body.widen(value))
        return found

    def finish(self, totals: Values) -> None:
        """The epilogue and the stores."""
        left = iter(totals)
        for row in self.rows:
            self._stand_at_row(row)
            for part in self.parts:
                self.context.finish(part, [next(left)])

    def prefetch_result(self, result: Operand) -> None:
        """Prefetch the cache lines that are stored after the sum."""
        loop = self.roles.row
        assert loop is not None
        for row in self.rows:
            self._stand_at_row(row)
            ask_for_result(self.context, result, loop, self.parts[0], self.panel.size)

    def _stand_at_row(self, row: SSAValue) -> None:
        if self.roles.row is not None:
            self.point[self.roles.row] = row

    def innermost(
        self, loop: int, lower: SSAValue, count: int, carried: Values
    ) -> Values:
        """All terms; a small tile adds several at a time, to separate accumulators."""
        streams = streams_of(self.schedule.accumulators, len(carried), count)

        def term(index: SSAValue, values: Values) -> Values:
            self.point[loop] = index
            return self._term(values)

        return sum_in_streams(self.emitter, lower, count, carried, term, streams)

    def _term(self, carried: Values) -> Values:
        """One term for every accumulator, and its share of the prefetches."""

        def meanwhile() -> None:
            if self.prefetch is not None:
                term = self.point[self.roles.nest.reductions[0]]
                self.prefetch.emit(self.emitter, term)

        return self.term(carried, meanwhile)

    def term(self, carried: Values, meanwhile: Callable[[], None]) -> Values:
        """One term for every accumulator: a row of the panel times a column of the lhs.

        `meanwhile`: emits code after the loads of the panel.
        """
        emitter, roles = self.emitter, self.roles
        bodies = [part.body for part in self.parts]
        vectors = self.right.read(self.point, self.panel, bodies)
        right = [
            roles.rhs.convert(vector, body)
            for vector, body in zip(vectors, bodies, strict=True)
        ]
        meanwhile()
        left = (self._number(row) for row in range(len(self.rows)))
        return outer_product(emitter, left, right, carried)

    def _number(self, row: int) -> SSAValue:
        """The factor of a row, broadcast to all columns."""
        value = self.left.read(self.point, row)
        return self.roles.lhs.convert(value, self.parts[0].body)
