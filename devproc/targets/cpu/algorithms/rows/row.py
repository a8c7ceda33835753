"""The computation of one row of a chain, in one or several passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from devproc.dialects.sched import RowsSchedule
from devproc.targets.cpu.algorithms.rows.column_pass import ColumnPass, Columns
from devproc.targets.cpu.algorithms.rows.row_chain import RowChain, RowPass, Stage
from devproc.targets.cpu.transforms.loops.access import apply_map
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody

Values = Sequence[SSAValue]


class Row:
    """One row of a chain being emitted, at the indices `point`."""

    def __init__(self, chain: RowChain, schedule: RowsSchedule, emitter: Emitter):
        self.chain, self.schedule, self.emitter = chain, schedule, emitter
        self.point: list[SSAValue] = [emitter.index(0)] * len(chain.sizes)
        self.row_values: dict[SSAValue, SSAValue] = {}
        """Values of the row that stages computed, by their memref."""

    @property
    def inner(self) -> int:
        """The vectorised loop."""
        return self.chain.columns[-1]

    def emit(self) -> None:
        """All passes."""
        made: dict[SSAValue, SSAValue] = {}
        for found in self.chain.passes:
            made |= zip(found.makes, self.emit_pass(found, made), strict=True)

    def emit_pass(
        self, found: RowPass, values: Mapping[SSAValue, SSAValue]
    ) -> list[SSAValue]:
        """One pass, from the known values of the row by memref to those it computes."""
        self.row_values = dict(values)
        if found.is_of_row:
            self._row_stage(found.stages[0])
        else:
            number = self.chain.column_passes.index(found)
            ColumnPass(self, found.stages, self.schedule.vectors[number]).emit()
        return [self.row_values[memory] for memory in found.makes]

    def _row_stage(self, stage: Stage) -> None:
        body = VectorBody(self.emitter, self.schedule.lanes)
        results = body.inline(stage.op, self.arguments(stage, None), self._index)
        for operand, value in zip(stage.outputs, results, strict=True):
            self.finish(stage, operand, value)

    def finish(self, stage: Stage, operand: Operand, value: SSAValue) -> None:
        """Record a value of the row, and store it if memory must hold it."""
        self.row_values[operand.origin] = value
        if self.chain.must_store(stage, operand):
            indices = apply_map(self.emitter, operand.map, self.point)
            self.emitter.store(value, operand.value, indices)

    def _index(self, d: int) -> SSAValue:
        loop = self.chain.loops[d]
        return self.emitter.index(0) if loop is None else self.point[loop]

    def arguments(self, stage: Stage, columns: Columns | None) -> list[SSAValue | None]:
        """The inputs of a stage, in registers; None if its body does not read them."""
        found: list[SSAValue | None] = [
            self.read(operand, columns) if argument.uses else None
            for operand, argument in zip(
                stage.inputs, stage.op.body.block.args, strict=False
            )
        ]
        return found + [None] * len(stage.outputs)

    def read(self, operand: Operand, columns: Columns | None) -> SSAValue:
        """An operand: a value computed before, an element, or a vector of columns."""
        emitter = self.emitter
        if not operand.is_memref:
            return operand.value
        if operand.origin in self.row_values:
            return self.row_values[operand.origin]
        if columns is not None and operand.origin in columns.registers:
            return columns.registers[operand.origin]
        if columns is not None:
            self.point[self.inner] = columns.start
        indices = apply_map(emitter, operand.map, self.point)
        if columns is None or operand.stride(self.inner) == 0:
            return emitter.load(operand.value, indices)
        return columns.body.load(operand.value, indices)

    def column_index(self, d: int, columns: Columns) -> SSAValue:
        """The index of loop `d` of a stage, a vector along the columns."""
        if self.chain.loops[d] == self.inner:
            return columns.body.steps_from(columns.start)
        return self._index(d)
