"""Lowers a contraction: loops around tiles, sums term by term, machine vectors."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import Tiling, Values
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import (
    FinishOp,
    PrefetchOp,
    PrefetchResultsOp,
    RegisterTileSchedule,
    StartOp,
    TermOp,
    TileOp,
)
from devproc.dialects.sched.tile import BoxOp
from devproc.ir.types import is_float
from devproc.targets.cpu.algorithms.register_tile.factor_readers import (
    Panel,
    PanelReader,
    RowReader,
)
from devproc.targets.cpu.algorithms.register_tile.loops import Box, PanelLoops
from devproc.targets.cpu.algorithms.register_tile.roles import Roles
from devproc.targets.cpu.algorithms.register_tile.tile import RegisterTile
from devproc.targets.cpu.algorithms.vectors.loops import point_of
from devproc.targets.cpu.algorithms.vectors.tiling import open_sums, term_of
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.block_sums import BlockSums, streams_of
from devproc.targets.cpu.transforms.nests.nest_emitter import PartEmitter
from devproc.targets.cpu.transforms.nests.prefetch import ask_for
from devproc.targets.cpu.transforms.tiles.boxes import emit_box


def loops(
    roles: Roles,
    schedule: RegisterTileSchedule,
    emitter: Emitter,
    target: TargetAttr,
    name: str,
) -> None:
    """Emit the loops of a contraction around its tiles, and the prefetches of each."""
    nest, lanes = roles.nest, roles.lanes(machine_of(target).vector_bits.data)
    point = point_of(nest, emitter, {})
    whole = [
        1 if is_parallel else size
        for size, is_parallel in zip(nest.sizes, nest.parallel, strict=True)
    ]

    def tile(box: Box) -> None:
        at, size = list(point), list(whole)
        if roles.row is not None:
            at[roles.row], size[roles.row] = box.row, box.rows
        at[roles.column], size[roles.column] = box.panel.start, box.panel.size
        if box.prefetch is not None:
            memory, first = box.prefetch.memory, box.prefetch.first
            count = box.prefetch.step * nest.sizes[nest.reductions[0]]
            emitter.place(PrefetchOp(name, memory, first, count))
        results = schedule.prefetch_results
        if results:
            emitter.place(PrefetchResultsOp(name, results, at, size))
        emit_box(emitter, TileOp, name, at, size)

    PanelLoops(roles, schedule, emitter, lanes, point).emit(tile)


def open_tile(
    roles: Roles,
    schedule: RegisterTileSchedule,
    emitter: Emitter,
    target: TargetAttr,
    tile: TileOp,
) -> None:
    """Emit the sums of a tile term by term."""
    along = [loop for loop in (roles.row, roles.column) if loop is not None]
    terms = TileTerms(roles, emitter, tile, None)
    open_sums(roles.nest, emitter, tile, along, terms.emit)


def split_sums(
    roles: Roles,
    schedule: RegisterTileSchedule,
    emitter: Emitter,
    target: TargetAttr,
    start: StartOp,
) -> Values:
    """Emit the sums of a tile block by block, if they are long."""
    nest, sums = roles.nest, start.sums
    is_long = prod(nest.sizes[loop] for loop in nest.reductions) > schedule.block
    if not is_long or not is_float(sums[0].type.element_type):
        return ()
    return TileTerms(roles, emitter, start, schedule.block).emit(sums)


def streams(
    roles: Roles,
    schedule: RegisterTileSchedule,
    target: TargetAttr,
    term: TermOp,
    count: int,
) -> int:
    """How many terms a tile with few sums adds at a time."""
    lanes, size = roles.lanes(machine_of(target).vector_bits.data), term.sizes
    rows = 1 if roles.row is None else size[roles.row]
    sums = rows * -(-size[roles.column] // lanes)
    return streams_of(schedule.accumulators, sums, count)


class TileTerms(BlockSums):
    """The loops over the terms of a tile."""

    def __init__(self, roles: Roles, emitter: Emitter, box: BoxOp, block: int | None):
        super().__init__(emitter, roles.nest.sizes, list(box.at), block)
        self.loops = roles.nest.reductions
        self.term = term_of(roles.nest, emitter, box, self.point)

    def emit(self, carried: Values) -> Values:
        """All terms, added to these sums."""
        return self.sum(self.loops, carried)

    def innermost(
        self, loop: int, lower: SSAValue, count: int, carried: Values
    ) -> Values:
        def body(index: SSAValue, values: Values) -> Values:
            self.point[loop] = index
            return self.term(values)

        upper = self.emitter.offset(lower, count)
        return self.emitter.loop(lower, upper, 1, carried, body)


class RegisterTiles:
    """Lowers the tiles of one contraction, and their sums, to machine vectors."""

    def __init__(
        self,
        roles: Roles,
        schedule: RegisterTileSchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        nest, lanes = roles.nest, roles.lanes(machine_of(target).vector_bits.data)
        nest.view(emitter)
        context = PartEmitter(nest, roles.column, emitter, lanes)
        readers = RowReader(roles, emitter), PanelReader(roles, emitter, lanes)
        self.tile = RegisterTile(context, roles, schedule, readers)
        self.emitter, self.roles = emitter, roles
        self.width = schedule.vectors * lanes
        self.prefetches: list[PrefetchOp] = []
        """The prefetches for the next term, or before the next tile."""
        self.at: tuple[SSAValue, SSAValue] | None = None
        """The first row and column of the last tile."""

    def emit(self, op: Operation, given: Sequence[Values]) -> Sequence[Values]:
        """The vectors of a tile, row by row."""
        tile = self.tile
        if isinstance(op, PrefetchOp):
            self.prefetches.append(op)
            return ()
        assert isinstance(op, BoxOp)
        if isinstance(op, StartOp | TileOp):
            self._prefetch()
        self._stand_at(op)
        match op:
            case StartOp():
                return [tile.start()]
            case TermOp():
                return [tile.term(given[0], self._prefetch)]
            case FinishOp():
                tile.finish(given[0])
            case PrefetchResultsOp():
                for number in op.result_numbers:
                    tile.prefetch_result(self.roles.nest.results[number])
            case _:
                tile.emit_sums()
        return ()

    def _stand_at(self, op: BoxOp) -> None:
        """Set the indices of an op; begin a tile if it is not that of the last op."""
        self.tile.point[:] = op.at
        emitter, roles, size = self.emitter, self.roles, op.sizes
        column, row = op.at[roles.column], roles.row
        rows = 1 if row is None else size[row]
        first = emitter.index(0) if row is None else op.at[row]
        is_same = (first, column) == self.at
        self.at = first, column
        if is_same and not isinstance(op, StartOp | TileOp):
            return
        number = emitter.quotient(column, self.width)
        panel = Panel(column, number, size[roles.column])
        self.tile.stand_at(first, rows, panel)

    def _prefetch(self) -> None:
        for op in self.prefetches:
            ask_for(self.emitter, op.memory, op.at[0], op.count)
        self.prefetches = []


TILING = Tiling(loops, RegisterTiles, open_tile, split_sums, streams)
