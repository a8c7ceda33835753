"""Lowers a nest: loops around tiles, sums term by term, machine vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import Tiling
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import (
    FinishOp,
    JoinOp,
    StartOp,
    TermOp,
    TileOp,
    TwoSumOp,
    VectorsSchedule,
)
from devproc.dialects.sched.tile import BoxOp
from devproc.targets.cpu.algorithms.vectors.loops import loops_of, point_of
from devproc.targets.cpu.algorithms.vectors.match import VectorizableNest
from devproc.targets.cpu.algorithms.vectors.sum_loops import SumLoops
from devproc.targets.cpu.algorithms.vectors.tile import CrossedTile, VectorTile
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import Part, Values
from devproc.targets.cpu.transforms.tiles.boxes import emit_box


def loops(
    found: VectorizableNest,
    schedule: VectorsSchedule,
    emitter: Emitter,
    target: TargetAttr,
    name: str,
) -> None:
    """Emit the loops of a nest around its tiles."""
    nest, loop = found.nest, schedule.loop
    point = point_of(nest, emitter, {})
    whole = {*nest.reductions, schedule.crossing}
    sizes = [size if d in whole else 1 for d, size in enumerate(nest.sizes)]

    def at(start: SSAValue, size: int) -> None:
        place = [*point[:loop], start, *point[loop + 1 :]]
        box = [*sizes[:loop], size, *sizes[loop + 1 :]]
        emit_box(emitter, TileOp, name, place, box)

    loops_of(nest, schedule, emitter, point).emit(at)


def open_tile(
    found: VectorizableNest,
    schedule: VectorsSchedule,
    emitter: Emitter,
    target: TargetAttr,
    tile: TileOp,
) -> None:
    """Emit the sums of a tile term by term; emits nothing without reductions."""
    if found.nest.reductions:
        terms = terms_of(found.nest, emitter, tile)
        open_sums(found.nest, emitter, tile, [schedule.loop], terms.emit)


def open_sums(
    nest: Nest,
    emitter: Emitter,
    tile: TileOp,
    along: Sequence[int],
    terms: Callable[[Values], Values],
) -> None:
    """Emit the start of the sums of a tile, as vectors along some loops, then `terms`
    and the finish."""
    name, size = tile.nest_name, tile.sizes
    sums = nest.anchor.body.block.args[len(nest.inputs) :]
    types = [VectorType(value.type, [size[loop] for loop in along]) for value in sums]
    start = emit_box(emitter, StartOp, name, tile.at, size, types=types)
    emit_box(emitter, FinishOp, name, tile.at, size, terms(start.results))


def term_of(
    nest: Nest, emitter: Emitter, box: BoxOp, point: Sequence[SSAValue]
) -> Callable[[Values], Values]:
    """Emits a term of a tile: from the sums before it to those after it, at `point`."""
    name, sizes = box.nest_name, zip(box.sizes, nest.parallel, strict=True)
    size = [size if is_parallel else 1 for size, is_parallel in sizes]

    def term(sums: Values) -> Values:
        types = [value.type for value in sums]
        return emit_box(emitter, TermOp, name, point, size, sums, types).results

    return term


def split_sums(
    found: VectorizableNest,
    schedule: VectorsSchedule,
    emitter: Emitter,
    target: TargetAttr,
    start: StartOp,
) -> Values:
    """Emit the sums of a tile block by block, if the schedule has blocks."""
    if schedule.block is None:
        return ()
    return terms_of(found.nest, emitter, start).emit(start.sums, schedule.block)


def terms_of(nest: Nest, emitter: Emitter, box: BoxOp) -> SumLoops:
    """The loops over the terms of a tile."""
    point = list(box.at)
    term = term_of(nest, emitter, box, point)
    return SumLoops(emitter, nest, point, term, TileAdder(emitter))


@dataclass
class TileAdder:
    """Adds the sums of blocks, for whole tiles."""

    emitter: Emitter

    def add(
        self, total: SSAValue, lost: SSAValue, term: SSAValue
    ) -> tuple[SSAValue, SSAValue]:
        """The total and the loss after one more block."""
        new_total, new_lost = self.emitter.place(TwoSumOp(total, lost, term)).results
        return new_total, new_lost

    def join(self, total: SSAValue, lost: SSAValue) -> SSAValue:
        """The sum."""
        return self.emitter.place(JoinOp(total, lost)).results[0]


class TilesOfVectors:
    """Lowers the tiles of one nest, and their sums, to machine vectors."""

    def __init__(self, tile: VectorTile):
        self.tile: VectorTile = tile
        self.parts: list[Part] = []
        """The vectors of the tile that was started last."""

    def emit(self, op: Operation, given: Sequence[Values]) -> Sequence[Values]:
        """A tile, or its sums, part by part."""
        assert isinstance(op, BoxOp)
        tile = self.tile
        tile.point[:] = op.at
        start, size = op.at[tile.loop], op.sizes[tile.loop]
        match op:
            case StartOp():
                self.parts = tile.tile_parts(start, size)
                return self._by_result(tile.start_sums(self.parts))
            case TermOp():
                return self._by_result(tile.accumulate(self.parts, self._flat(given)))
            case FinishOp():
                tile.finish_parts(self.parts, self._flat(given))
            case _:
                tile.emit(start, size)
        return ()

    def _flat(self, sums: Sequence[Values]) -> Values:
        return [value for part in zip(*sums, strict=True) for value in part]

    def _by_result(self, flat: Values) -> Sequence[Values]:
        count = len(self.tile.nest.outputs)
        return [flat[number::count] for number in range(count)]


def vector_tiles(
    found: VectorizableNest,
    schedule: VectorsSchedule,
    emitter: Emitter,
    target: TargetAttr,
) -> TilesOfVectors:
    """The emitter of machine vectors of a nest by a schedule."""
    nest = found.nest
    nest.view(emitter)
    point = point_of(nest, emitter, {})
    return TilesOfVectors(CrossedTile(nest, schedule, emitter, point))


TILING = Tiling(loops, vector_tiles, open_tile, split_sums)
