"""Emits a product with picked matrices: the rows of each matrix, then tiles of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, i32
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import GroupedRowsSchedule
from devproc.targets.cpu.algorithms.grouped_rows.match import GroupedProduct
from devproc.targets.cpu.transforms.loops.access import apply_map
from devproc.targets.cpu.transforms.loops.combiners import combiner_of
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import compare, select
from devproc.targets.cpu.transforms.loops.vector_types import (
    INDEX,
    AnyVector,
    vector_type,
)
from devproc.targets.cpu.transforms.nests.nest_emitter import Part, PartEmitter, Values
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


def expand(
    product: GroupedProduct,
    schedule: GroupedRowsSchedule,
    emitter: Emitter,
    target: TargetAttr,
) -> None:
    """Emit the loops of a product."""
    emitter.location = product.nest.anchor.location
    GroupedRowsLoops(product, schedule, emitter).emit()


SHARES = 2
"""Whole tiles that share in prefetching the next columns."""

WIDTHS = (1, 2, 4)
"""Columns of a tile."""

Point: TypeAlias = tuple[SSAValue, SSAValue]
"""A row and a column."""


class GroupedRowsLoops(PartEmitter):
    """The state of one product being emitted."""

    def __init__(
        self, product: GroupedProduct, schedule: GroupedRowsSchedule, emitter: Emitter
    ):
        super().__init__(product.nest, product.inner, emitter, schedule.lanes)
        self.product, self.schedule = product, schedule
        combiner = combiner_of(product.nest.anchor)
        assert combiner is not None
        self.combiner = combiner
        self.panels = -(-product.columns // schedule.columns)
        self.ahead: Values = ()
        """The columns that the current tile prefetches."""

    def emit(self) -> None:
        """Emit the loops over matrices and groups of their columns."""
        emitter, schedule = self.emitter, self.schedule
        self.nest.view(emitter)
        sizes = [self.product.picked.matrices, -(-self.panels // schedule.group)]
        emitter.for_each(
            sizes, schedule.grain, lambda at: self._matrix_group(at[0], at[1])
        )

    def _matrix_group(self, matrix: SSAValue, group: SSAValue) -> None:
        """All rows of a matrix times a group of its columns."""
        emitter, schedule = self.emitter, self.schedule
        self.matrix = matrix
        self.rows = emitter.stack(self.product.rows, element=i32)
        self.count = self._find_rows()
        first = emitter.mul(group, emitter.index(schedule.group))
        end = emitter.offset(first, schedule.group)
        if self.panels % schedule.group:
            end = emitter.minimum(end, emitter.index(self.panels))
        size = schedule.rows * schedule.tiles

        def block(start: SSAValue) -> None:
            stop = emitter.minimum(emitter.offset(start, size), self.count)
            emitter.loop_between(
                first, end, lambda panel: self._panel(panel, start, stop)
            )

        emitter.loop_between(emitter.index(0), self.count, block, size)

    def _find_rows(self) -> SSAValue:
        """Store the numbers of the rows of the current matrix; returns how many."""
        emitter = self.emitter

        def row(number: SSAValue, found: Values) -> Values:
            # Overwritten by the next row unless it counts.
            narrow = emitter.value(arith.IndexCastOp, (number,), i32)
            emitter.store(narrow, self.rows, (found[0],))
            is_one = compare(emitter, "eq", self._matrix_of(number), self.matrix)
            return [select(emitter, is_one, emitter.offset(found[0], 1), found[0])]

        zero, end = emitter.index(0), emitter.index(self.product.rows)
        (count,) = emitter.loop(zero, end, 1, [zero], row)
        return count

    def _matrix_of(self, row: SSAValue) -> SSAValue:
        """The index of the matrix of a row."""
        emitter, picked = self.emitter, self.product.picked
        operand = self.product.index_operand
        self.point[self.product.row] = row
        place = apply_map(emitter, operand.map, self.point)
        values: dict[SSAValue, SSAValue] = {
            picked.argument: emitter.load(operand.value, place)
        }
        for op in picked.ops:
            operands = [values.get(value, value) for value in op.operands]
            clone = op.clone(dict(zip(op.operands, operands, strict=True)))
            values[op.results[0]] = emitter.append(clone).results[0]
        return values[picked.index]

    def _panel(self, panel: SSAValue, start: SSAValue, stop: SSAValue) -> None:
        """The rows of a block times some columns of the current matrix."""
        emitter, width = self.emitter, self.schedule.columns
        whole, rest = divmod(self.product.columns, width)
        column = emitter.mul(panel, emitter.index(width))

        def tiles(width: int) -> None:
            columns = [emitter.offset(column, n) for n in range(width)]
            self._tiles(columns, start, stop)

        if rest:
            emitter.branch_below(
                panel, whole, lambda: tiles(width), lambda: tiles(rest)
            )
        else:
            tiles(width)

    def _tiles(self, columns: Values, start: SSAValue, stop: SSAValue) -> None:
        """Whole tiles, then small ones; the last may compute its last row twice."""
        emitter, rows, few = self.emitter, self.schedule.rows, self.schedule.few_rows
        height = emitter.index(rows)
        count = emitter.sub(stop, start)
        end = emitter.add(start, emitter.mul(emitter.div(count, rows), height))
        last = emitter.offset(stop, -1)

        def tile(first: SSAValue) -> None:
            self.ahead = self._next_columns(columns, emitter.div(first, rows))
            self._tile(columns, [emitter.offset(first, n) for n in range(rows)])

        def small_tile(first: SSAValue) -> None:
            self.ahead = self._next_columns(columns)
            places = (emitter.offset(first, n) for n in range(few))
            self._tile(columns, [emitter.minimum(place, last) for place in places])

        emitter.loop_between(start, end, tile, rows)
        emitter.loop_between(end, stop, small_tile, few)

    def _next_columns(
        self, columns: Values, tile: SSAValue | None = None
    ) -> Sequence[SSAValue]:
        """The columns after the current ones that a tile prefetches: a share of them for
        the tile of this number, else all."""
        emitter, count, width = self.emitter, len(columns), self.schedule.columns
        if not self.schedule.prefetch_columns:
            return ()
        first = emitter.offset(columns[0], width)
        if tile is not None:
            count = -(-count // SHARES)
            number = emitter.mod(tile, SHARES)
            first = emitter.add(first, emitter.mul(number, emitter.index(count)))
        return [emitter.offset(first, n) for n in range(count)]

    # One tile.

    def _tile(self, columns: Values, places: Values) -> None:
        """Some columns of the current matrix times the rows at these places."""
        emitter = self.emitter
        rows = [
            emitter.value(arith.IndexCastOp, (emitter.load(self.rows, (p,)),), INDEX)
            for p in places
        ]
        points = [(row, column) for row in rows for column in columns]
        zero = emitter.number(0.0, vector_type(f32, self.lanes))
        sums = self._sum(self.nest.reductions, points, [zero] * len(points))
        width = len(columns)
        for number, row in enumerate(rows):
            self._finish(row, columns, sums[number * width : (number + 1) * width])

    def _finish(self, row: SSAValue, columns: Values, sums: Values) -> None:
        """Store the sums of a row of a tile: adjacent columns."""
        emitter, (first, *_), width = self.emitter, columns, len(columns)
        lanes = next(n for n in WIDTHS if n >= width)
        # Past the columns: any sum.
        padding = [sums[0]] * (lanes - width)
        total = sum_lanes(emitter, [*sums, *padding])
        fill, output = self.nest.starts[0], self.nest.outputs[0]
        assert fill is not None
        body = VectorBody(emitter, lanes, width % lanes)
        value = self.combiner.combine(emitter, body.widen(fill.inputs[0]), total)
        self._stand_at(row, first)
        place = apply_map(emitter, output.map, self.point)
        body.store(value, output.value, place)

    def _sum(
        self, loops: Sequence[int], points: Sequence[Point], sums: Values
    ) -> Values:
        """The sums of a tile after these loops."""
        emitter, (loop, *inner) = self.emitter, loops
        size = self.nest.sizes[loop]

        def terms(index: SSAValue, sums: Values) -> Values:
            self.point[loop] = index
            if inner:
                return self._sum(inner, points, sums)
            self._ask_for_next(index)
            return self._add(self.parts(index, self.lanes)[0], points, sums)

        step = 1 if inner else self.lanes
        whole = emitter.index(size // step * step)
        sums = emitter.loop(emitter.index(0), whole, step, sums, terms)
        if size % step:
            sums = self._add(self.parts(whole, size % step)[0], points, sums)
        return sums

    def _ask_for_next(self, term: SSAValue) -> None:
        """Prefetch these terms of the columns ahead: hardware stops at a page."""
        emitter = self.emitter
        self.point[self.product.inner] = term
        for load in self.product.matrix_loads:
            for column in self.ahead:
                self.point[self.product.column] = column
                place = [self._position(index) for index in load.indices]
                emitter.prefetch(load.memref, place)

    def _position(self, index: SSAValue) -> SSAValue:
        """An index of a load of the matrices."""
        if not isinstance(index.owner, IndexOp):
            return self.matrix
        loop = self.nest.loops[index.owner.dim.value.data]
        return self.emitter.index(0) if loop is None else self.point[loop]

    def _add(self, part: Part, points: Sequence[Point], sums: Values) -> Values:
        """The sums after one vector of terms; masked lanes are unchanged."""
        found: list[SSAValue] = []
        for point, total in zip(points, sums, strict=True):
            self._stand_at(*point)
            (value,) = self.body(part, [total])
            mask = part.body.mask
            found.append(
                value if mask is None else select(self.emitter, mask, value, total)
            )
        return found

    def _stand_at(self, row: SSAValue, column: SSAValue) -> None:
        self.point[self.product.row] = row
        self.point[self.product.column] = column

    def known(self) -> dict[SSAValue, SSAValue]:
        """The values of the anchor's body that a tile shares: the index of its matrix."""
        ops = self.product.picked.ops
        made = (op.results[0] for op in ops if not isinstance(op, arith.ConstantOp))
        return dict.fromkeys(made, self.matrix)


def sum_lanes(emitter: Emitter, vectors: Values) -> SSAValue:
    """The sums over the lanes of one, two or four vectors, as one vector.

    Two vectors at a time are interleaved in blocks of four lanes and added; then halves of
    the one that remains.
    """
    (lanes,) = cast(AnyVector, vectors[0].type).get_shape()
    width, size = len(vectors), 1

    def add(a: SSAValue, b: SSAValue, masks: Sequence[Sequence[int]]) -> SSAValue:
        parts = [emitter.shuffle(a, b, mask) for mask in masks]
        return emitter.value(arith.AddfOp, parts)

    while len(vectors) > 1:
        places = [
            [
                block + half + lane + side
                for block in range(0, lanes, 4)
                for start in range(0, 2, size)
                for side in (0, lanes)
                for lane in range(start, start + size)
            ]
            for half in (0, 2)
        ]
        pairs = zip(vectors[::2], vectors[1::2], strict=True)
        vectors = [add(a, b, places) for a, b in pairs]
        size *= 2
    (total,) = vectors
    while lanes > width:
        lanes //= 2
        total = add(total, total, [range(lanes), range(lanes, 2 * lanes)])
    return total
