"""Lowers a row chain: loops around rows, the passes over a row, machine vectors."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import Tiling, Values
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import PassOp, RowsSchedule, TileOp
from devproc.targets.cpu.algorithms.rows.row import Row
from devproc.targets.cpu.algorithms.rows.row_chain import RowChain, RowPass
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import memref_of
from devproc.targets.cpu.transforms.tiles.boxes import emit_box


def loops(
    chain: RowChain,
    schedule: RowsSchedule,
    emitter: Emitter,
    target: TargetAttr,
    name: str,
) -> None:
    """Emit the loops over the rows; a tile is one row, with all of its columns."""
    size = [
        1 if is_row else n
        for n, is_row in zip(chain.sizes, chain.parallel, strict=True)
    ]
    columns = [emitter.index(0)] * len(chain.columns)

    def tile(row: list[SSAValue]) -> None:
        emit_box(emitter, TileOp, name, [*row, *columns], size)

    emitter.for_each([chain.sizes[d] for d in chain.rows], schedule.grain, tile)


def open_tile(
    chain: RowChain,
    schedule: RowsSchedule,
    emitter: Emitter,
    target: TargetAttr,
    tile: TileOp,
) -> None:
    """Emit the passes over a row."""
    row = [tile.at[d] for d in chain.rows]
    values: dict[SSAValue, SSAValue] = {}
    for found in chain.passes:
        given = [values[memory] for memory in found.reads if memory in values]
        types = [memref_of(memory).element_type for memory in found.makes]
        stages = [chain.stages.index(stage) for stage in found.stages]
        op = PassOp(tile.nest_name, row, stages, given, types)
        values |= zip(found.makes, emitter.place(op).results, strict=True)


class RowEmitter:
    """Lowers the rows of one chain, or the passes over them, to machine vectors."""

    def __init__(
        self,
        chain: RowChain,
        schedule: RowsSchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        chain.view(emitter)
        self.chain, self.row = chain, Row(chain, schedule, emitter)

    def emit(self, op: Operation, given: Sequence[Values]) -> Sequence[Values]:
        """A row, or one pass over it."""
        assert isinstance(op, TileOp | PassOp)
        self.row.point[: len(self.chain.rows)] = op.at[: len(self.chain.rows)]
        if isinstance(op, TileOp):
            self.row.emit()
            return ()
        found = next(p for p in self.chain.passes if self._is(p, op))
        values = self._given(found, [value for (value,) in given])
        return [[value] for value in self.row.emit_pass(found, values)]

    def _is(self, found: RowPass, op: PassOp) -> bool:
        return self.chain.stages[op.stage_numbers[0]] is found.stages[0]

    def _given(self, found: RowPass, values: Values) -> dict[SSAValue, SSAValue]:
        """The values that a pass is given, by their memref."""
        before = self.chain.passes[: self.chain.passes.index(found)]
        made = {memory for earlier in before for memory in earlier.makes}
        return dict(zip((m for m in found.reads if m in made), values, strict=True))


TILING = Tiling(loops, RowEmitter, open_tile)
