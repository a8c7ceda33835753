"""Emits the loops of a row chain (see `row_chain.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import SSAValue

from devproc.ir.types import is_float
from devproc.transforms.cpu.access import apply_map
from devproc.transforms.cpu.combiners import reduce_lanes
from devproc.transforms.cpu.emitter import Emitter, is_vector, memref_of, vector_type
from devproc.transforms.cpu.kernels import body_work, grain_of, lanes_of
from devproc.transforms.cpu.lanewise import compare, select
from devproc.transforms.cpu.loop_space import Operand
from devproc.transforms.cpu.nest_emitter import element_types
from devproc.transforms.cpu.row_chain import RowChain, Stage
from devproc.transforms.cpu.vectorize_body import VectorBody

Values = Sequence[SSAValue]

BLOCK = 128
"""Vectors that one accumulator of a float sum takes before it is added to an outer one."""


@dataclass
class Columns:
    """One vector of columns: where it starts, its mask, and what this pass computed."""

    start: SSAValue
    body: VectorBody
    registers: dict[SSAValue, SSAValue] = field(
        default_factory=dict[SSAValue, SSAValue]
    )


class RowLoops:
    """The state of one chain being emitted."""

    def __init__(
        self, chain: RowChain, emitter: Emitter, vector_bits: int, threads: int
    ):
        self.chain, self.emitter, self.threads = chain, emitter, threads
        types = [
            type_
            for stage in chain.stages
            if stage.kind != "row" and stage.direction is None
            for type_ in element_types(stage.op)
            if type_ != i1
        ] or [
            memref_of(operand.value).element_type
            for stage in chain.stages
            for operand in stage.inputs
        ]
        self.lanes = min(lanes_of(type_, vector_bits) for type_ in types)
        self.point: list[SSAValue] = [emitter.index(0)] * len(chain.sizes)
        self.row_values: dict[SSAValue, SSAValue] = {}
        """Values of the row that stages computed, by the memref they belong to."""

    @property
    def inner(self) -> int:
        """The vectorised loop."""
        return self.chain.columns[-1]

    def emit(self) -> None:
        """Emit the loops."""
        self.chain.view(self.emitter)
        rows = self.chain.rows
        work = sum(body_work(stage.op) for stage in self.chain.stages)
        work *= prod(self.chain.sizes)
        count = prod(self.chain.sizes[d] for d in rows)
        grain = grain_of(count, work, self.threads)
        if grain is None:
            self._rows(rows)
            return
        sizes = [self.chain.sizes[d] for d in rows]

        def body(indices: list[SSAValue]) -> None:
            for d, index in zip(rows, indices, strict=True):
                self.point[d] = index
            self._row()

        self.emitter.parallel(sizes, grain, body)

    def _rows(self, loops: Sequence[int]) -> None:
        if not loops:
            self._row()
            return
        first, *rest = loops

        def body(index: SSAValue) -> None:
            self.point[first] = index
            self._rows(rest)

        self.emitter.loop_to(self.chain.sizes[first], body)

    def _row(self) -> None:
        self.row_values = {}
        for group in self.chain.passes():
            if group[0].kind == "row":
                self._row_stage(group[0])
            else:
                ColumnPass(self, group).emit()

    def _row_stage(self, stage: Stage) -> None:
        body = VectorBody(self.emitter, self.lanes)
        results = body.inline(stage.op, self._arguments(stage, None), self._index)
        for operand, value in zip(stage.outputs, results, strict=True):
            self.finish(stage, operand, value)

    def finish(self, stage: Stage, operand: Operand, value: SSAValue) -> None:
        """Keep a value of the row, and store it where memory must hold it."""
        self.row_values[operand.origin] = value
        if self.chain.must_store(stage, operand):
            indices = apply_map(self.emitter, operand.map, self.point)
            self.emitter.store(value, operand.value, indices)

    def _index(self, d: int) -> SSAValue:
        loop = self.chain.loops[d]
        return self.emitter.index(0) if loop is None else self.point[loop]

    def _arguments(
        self, stage: Stage, columns: Columns | None
    ) -> list[SSAValue | None]:
        """The inputs of a stage, in registers; None where its body does not read them."""
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

    def arguments(self, stage: Stage, columns: Columns) -> list[SSAValue | None]:
        """The inputs of a stage for one vector of columns."""
        return self._arguments(stage, columns)


class ColumnPass:
    """One walk over the columns of a row, for stages that need no other."""

    def __init__(self, loops: RowLoops, stages: Sequence[Stage]):
        self.loops, self.stages = loops, stages
        self.emitter, self.lanes = loops.emitter, loops.lanes
        self.chain = loops.chain
        self.reduces = [stage for stage in stages if stage.kind == "reduce"]
        work = sum(body_work(stage.op) for stage in stages)
        arg = any(stage.direction for stage in self.reduces)
        size = self.chain.sizes[loops.inner]
        # Several accumulators hide the latency of adding to one.
        self.width = 1 if arg or work > 40 else 2 if work > 12 else 4
        self.width = max(1, min(self.width, size // self.lanes))
        self.step = self.lanes * self.width
        self.whole = size // self.step
        self.rest = size - self.whole * self.step
        # Argmax is no sum: blocks of it gain nothing.
        self.blocked = not arg and self.whole > 2 * BLOCK and bool(self.reduces)

    def emit(self) -> None:
        """Walk the columns, then combine the accumulators into values of the row."""
        accumulators = self._columns(self.chain.columns, self._identities())
        for stage, parts in zip(
            self.reduces, self._by_stage(accumulators), strict=True
        ):
            self._combine(stage, parts)

    def _identities(self) -> list[SSAValue]:
        """The accumulators before the first column, stage by stage, part by part."""
        values: list[SSAValue] = []
        for stage in self.reduces:
            for _ in range(self.width):
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
            for _ in range(self.width):
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

        def block(start: SSAValue, values: Values) -> Values:
            end = emitter.offset(start, BLOCK * step)
            inner = emitter.loop(start, end, step, self._identities(), tile)
            return self._add_blocks(values, inner)

        if self.blocked:
            done = self.whole // BLOCK * BLOCK
            end = emitter.index(done * step)
            carried = emitter.loop(zero, end, BLOCK * step, carried, block)
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
            for _ in range(self.width):
                pair = outer[position], inner[position]
                result.append(stage.combiner.combine(self.emitter, *pair))
                position += 1
        return result

    def _tile(self, start: SSAValue, size: int, carried: Values) -> Values:
        """`size` columns from `start`, each vector into its own accumulators."""
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
        """The accumulators after one more vector; lanes behind the end keep theirs."""
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
        """All accumulators of a stage, and its start, as values of the row."""
        emitter = self.emitter
        if stage.combiner is None:
            values = self._combine_arg(stage, parts[0])
        else:
            level = [part[0] for part in parts]
            # Neighbours first: the same tree for any number of threads.
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

    def _combine_arg(self, stage: Stage, part: Values) -> list[SSAValue]:
        """The extreme of all lanes, and the least index among the lanes that hold it."""
        emitter, (values, indices) = self.emitter, part
        element = memref_of(stage.outputs[0].origin).element_type
        floats = is_float(element)
        kind = f"{stage.direction}{'imumf' if floats else 'si'}"
        best = reduce_lanes(emitter, kind, values)
        body = VectorBody(emitter, self.lanes)
        everywhere = body.widen(best)
        holds = compare(emitter, "oeq" if floats else "eq", values, everywhere)
        if floats:
            # NaN is the extreme where there is one; it equals nothing.
            nan = compare(emitter, "uno", values, values)
            holds = emitter.value(arith.OrIOp, (holds, nan))
        assert is_vector(indices)
        width = cast(
            "IntegerType[int]", memref_of(stage.outputs[1].origin).element_type
        )
        far = emitter.number((1 << (width.width.data - 1)) - 1, indices.type)
        candidates = select(emitter, holds, indices, far)
        return [best, reduce_lanes(emitter, "minsi", candidates)]
