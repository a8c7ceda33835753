"""One pass over the columns of a row, for the stages of a row chain that share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from xdsl.ir import SSAValue

from devproc.dialects.sched import RowsSchedule
from devproc.targets.cpu.algorithms.rows.row_chain import RowChain, Stage
from devproc.targets.cpu.transforms.loops.access import apply_map
from devproc.targets.cpu.transforms.loops.combiners import combine_extremes
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import select
from devproc.targets.cpu.transforms.loops.vector_types import memref_of, vector_type
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody

Values = Sequence[SSAValue]


def reductions(stages: Sequence[Stage]) -> list[Stage]:
    """The stages of a pass that reduce."""
    return [stage for stage in stages if stage.kind == "reduce"]


def has_blocks(stages: Sequence[Stage], steps: int, block: int | None) -> bool:
    """Whether a pass of this many steps sums in blocks of the given size."""
    reduces = reductions(stages)
    # Argmax and argmin do not benefit from blocks.
    can = bool(reduces) and not any(stage.direction for stage in reduces)
    return can and block is not None and steps > 2 * block


@dataclass
class Columns:
    """One vector of columns: its start, its mask, and the values this pass computed."""

    start: SSAValue
    body: VectorBody
    registers: dict[SSAValue, SSAValue] = field(
        default_factory=dict[SSAValue, SSAValue]
    )


class RowContext(Protocol):
    """The interface of the row that a pass is part of (`row.Row`)."""

    chain: RowChain
    emitter: Emitter
    schedule: RowsSchedule
    point: list[SSAValue]

    @property
    def inner(self) -> int:
        """The vectorised loop."""
        ...

    def arguments(self, stage: Stage, columns: Columns | None) -> list[SSAValue | None]:
        """The inputs of a stage, in registers; None if its body does not read them."""
        ...

    def column_index(self, d: int, columns: Columns) -> SSAValue:
        """The index of loop `d` of a stage, a vector along the columns."""
        ...

    def finish(self, stage: Stage, operand: Operand, value: SSAValue) -> None:
        """Record a value of the row."""
        ...


class ColumnPass:
    """One pass over the columns of a row, for stages that can share it."""

    def __init__(self, loops: RowContext, stages: Sequence[Stage], vectors: int):
        self.loops, self.stages, self.vectors = loops, stages, vectors
        self.emitter, self.lanes = loops.emitter, loops.schedule.lanes
        self.chain = loops.chain
        self.reduces = reductions(stages)
        self.step = self.lanes * vectors
        self.whole, self.rest = divmod(self.chain.sizes[loops.inner], self.step)
        block = loops.schedule.block
        self.block = block if has_blocks(stages, self.whole, block) else None

    def emit(self) -> None:
        """Emit the columns, then combine the accumulators into values of the row."""
        accumulators = self._columns(self.chain.columns, self._identities())
        for stage, parts in zip(
            self.reduces, self._by_stage(accumulators), strict=True
        ):
            self._combine(stage, parts)

    def _identities(self) -> list[SSAValue]:
        """The accumulators before the first column, stage by stage, part by part."""
        values: list[SSAValue] = []
        for stage in self.reduces:
            for _ in range(self.vectors):
                for fill, output in zip(stage.starts, stage.outputs, strict=True):
                    element = memref_of(output.origin).element_type
                    assert fill is not None
                    body = VectorBody(self.emitter, self.lanes)
                    if stage.combiner is None:
                        values.append(body.widen(fill.inputs[0]))
                    else:
                        type_ = vector_type(element, self.lanes)
                        identity = stage.combiner.identity(element)
                        values.append(self.emitter.number(identity, type_))
        return values

    def _by_stage(self, flat: Values) -> list[list[Values]]:
        """Accumulators of each stage, part by part."""
        found: list[list[Values]] = []
        position = 0
        for stage in self.reduces:
            count = len(stage.outputs)
            found.append([])
            for _ in range(self.vectors):
                found[-1].append(flat[position : position + count])
                position += count
        return found

    # Loops.

    def _columns(self, loops: Sequence[int], carried: Values) -> Values:
        first, *rest = loops
        if not rest:
            return self._vectors(carried)

        def body(index: SSAValue, values: Values) -> Values:
            self.loops.point[first] = index
            return self._columns(rest, values)

        emitter = self.emitter
        end = emitter.index(self.chain.sizes[first])
        return emitter.loop(emitter.index(0), end, 1, carried, body)

    def _vectors(self, carried: Values) -> Values:
        emitter, step = self.emitter, self.step
        zero, done = emitter.index(0), 0

        def tile(start: SSAValue, values: Values) -> Values:
            return self._tile(start, step, values)

        if self.block is not None:
            size, done = self.block * step, self.whole // self.block * self.block

            def block(start: SSAValue, values: Values) -> Values:
                end = emitter.offset(start, size)
                inner = emitter.loop(start, end, step, self._identities(), tile)
                return self._add_blocks(values, inner)

            carried = emitter.loop(
                zero, emitter.index(done * step), size, carried, block
            )
        begin, end = emitter.index(done * step), emitter.index(self.whole * step)
        carried = emitter.loop(begin, end, step, carried, tile)
        if self.rest:
            return self._tile(end, self.rest, carried)
        return carried

    def _add_blocks(self, outer: Values, inner: Values) -> Values:
        result: list[SSAValue] = []
        position = 0
        for stage in self.reduces:
            assert stage.combiner is not None
            for _ in range(self.vectors):
                pair = outer[position], inner[position]
                result.append(stage.combiner.combine(self.emitter, *pair))
                position += 1
        return result

    def _tile(self, start: SSAValue, size: int, carried: Values) -> Values:
        """`size` columns from `start`, each vector with separate accumulators."""
        tiles: list[Columns] = []
        for offset in range(0, size, self.lanes):
            left = size - offset
            active = left if left < self.lanes else 0
            body = VectorBody(self.emitter, self.lanes, active)
            tiles.append(Columns(self.emitter.offset(start, offset), body))
        accumulators = self._by_stage(carried)
        result: list[SSAValue] = []
        for stage in self.stages:
            if stage.kind == "map":
                for columns in tiles:
                    self._map(stage, columns)
                continue
            parts = accumulators[self.reduces.index(stage)]
            for index, columns in enumerate(tiles):
                parts[index] = self._reduce(stage, columns, parts[index])
            result += [value for part in parts for value in part]
        return result

    # Stages.

    def _map(self, stage: Stage, columns: Columns) -> None:
        loops = self.loops
        results = columns.body.inline(
            stage.op,
            loops.arguments(stage, columns),
            lambda d: loops.column_index(d, columns),
        )
        for operand, value in zip(stage.outputs, results, strict=True):
            wide = columns.body.widen(value)
            columns.registers[operand.origin] = wide
            if self.chain.must_store(stage, operand):
                loops.point[loops.inner] = columns.start
                indices = apply_map(self.emitter, operand.map, loops.point)
                columns.body.store(wide, operand.value, indices)

    def _reduce(self, stage: Stage, columns: Columns, accumulators: Values) -> Values:
        """The accumulators after one more vector; masked lanes are unchanged."""
        loops, body = self.loops, columns.body
        count = len(stage.outputs)
        arguments = [*loops.arguments(stage, columns)[:-count], *accumulators]
        results = body.inline(
            stage.op, arguments, lambda d: loops.column_index(d, columns)
        )
        wide = [body.widen(value) for value in results]
        mask = body.mask
        if mask is None:
            return wide
        return [
            select(self.emitter, mask, new, old)
            for new, old in zip(wide, accumulators, strict=True)
        ]

    def _combine(self, stage: Stage, parts: Sequence[Values]) -> None:
        """All accumulators of a stage and its initial value, combined."""
        emitter = self.emitter
        if stage.combiner is None:
            assert stage.direction is not None
            values = combine_extremes(emitter, stage.direction, *parts[0])
        else:
            level = [part[0] for part in parts]
            # Adjacent ones first: the same tree for any number of threads.
            while len(level) > 1:
                odd = level[-1:] if len(level) % 2 else []
                pairs = zip(level[::2], level[1::2], strict=False)
                level = [
                    *(stage.combiner.combine(emitter, a, b) for a, b in pairs),
                    *odd,
                ]
            across = stage.combiner.across_lanes(emitter, level[0])
            fill = stage.starts[0]
            assert fill is not None
            values = [stage.combiner.combine(emitter, fill.inputs[0], across)]
        for operand, value in zip(stage.outputs, values, strict=True):
            self.loops.finish(stage, operand, value)
