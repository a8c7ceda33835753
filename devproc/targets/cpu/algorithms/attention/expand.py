"""Emits attention: for each head, a tile of scores at a time, kept in cache.

The normal form is in `ir/program/structured.py`. The keys of a head are transposed
once, into panels that vectors are loaded from. A tile of queries then computes all of
its scores, a product with an epilogue, and their row maxima in the same pass; the
exponentials and their sums; and the product with the values, which keep their layout.
Only one tile of scores is live at a time, without the panels that a mask hides.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import AttentionSchedule
from devproc.targets.cpu.algorithms.attention.mask import PanelSizes, VisibleKeys
from devproc.targets.cpu.algorithms.attention.nest import Attention, heights_of
from devproc.targets.cpu.algorithms.attention.steps import StepEmitter
from devproc.targets.cpu.algorithms.register_tile.roles import outer_product
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.access import apply_map, load_element
from devproc.targets.cpu.transforms.loops.combiners import combiner_of
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit
from devproc.targets.cpu.transforms.loops.transpose import transpose_lanes
from devproc.targets.cpu.transforms.loops.vector_types import vector_type
from devproc.targets.cpu.transforms.nests.block_sums import sum_in_blocks
from devproc.targets.cpu.transforms.nests.nest_emitter import Values
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


def expand(
    nest: Attention,
    schedule: AttentionSchedule,
    emitter: Emitter,
    target: TargetAttr,
) -> None:
    """Emit the loops of an attention."""
    emitter.location = nest.ops[0].location
    AttentionLoops(nest, schedule, emitter, target).emit()


class AttentionLoops(StepEmitter):
    """The state of one attention being emitted."""

    def __init__(
        self,
        nest: Attention,
        schedule: AttentionSchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        lanes = machine_of(target).vector_bits.data // 32
        super().__init__(emitter, lanes)
        self.nest, self.schedule = nest, schedule
        self.lanewise = Lanewise(emitter, vector_type(f32, lanes))
        self.side, self.width = schedule.side, schedule.side * lanes
        self.panels = -(-nest.keys // self.width)
        split = RowSplit.of(nest.queries, schedule.rows)
        assert split is not None
        self.split = split
        self.mixed_vectors = dict(zip(heights_of(split), schedule.mix, strict=True))
        self.visible: VisibleKeys | None = None
        if schedule.mask == "skip":
            assert nest.mask is not None
            sizes = PanelSizes(nest.keys, self.side, self.panels)
            value = nest.mixed.inputs[1]
            self.visible = VisibleKeys(self, nest.mask, value, nest.values, sizes)

    def emit(self) -> None:
        """Emit the loops over heads, spread over threads."""
        emitter, leading, chunks = self.emitter, self.nest.leading, self.schedule.chunks
        sizes = [size for size in (*leading, chunks) if size > 1]

        def head(indices: Sequence[SSAValue]) -> None:
            found, zero = iter(indices), emitter.index(0)
            self.heads = [next(found) if n > 1 else zero for n in leading]
            self._head(next(found) if chunks > 1 else None, chunks)

        emitter.for_each(sizes, self.schedule.grain, head)

    def _head(self, chunk: SSAValue | None, chunks: int) -> None:
        """All queries of one head, or one chunk of its tiles."""
        emitter, split = self.emitter, self.split
        self.room = emitter.stack(split.height, self.panels * self.width)
        self.row_values = emitter.stack(2, split.height)
        if self.schedule.keys == "panels":
            self.panel_keys = emitter.stack(self.panels, self.nest.depth, self.width)
            self._pack_keys()
        if self.visible is not None:
            self.visible.begin()

        if chunk is None:
            emitter.tiles(split, self._tile)
            return

        # Chunk c takes the tiles c, c + chunks, ...; chunk 0 also the short ones.
        def tall(number: SSAValue) -> None:
            self._tile(emitter.rows_of(split, number))

        def short(number: SSAValue) -> None:
            self._tile(emitter.rows_of(split, number, True))

        emitter.loop_between(chunk, emitter.index(split.tall), tall, chunks)
        if split.short:
            emitter.branch_below(
                chunk,
                1,
                lambda: emitter.loop_range(split.tall, split.count, short),
                lambda: None,
            )

    # Keys.

    def _pack_keys(self) -> None:
        """The keys as panels [panel][d][lanes of keys], padded with copies of the last
        key."""
        emitter, lanes = self.emitter, self.lanes
        key = self.nest.scores.inputs[1]

        def rows(number: SSAValue) -> None:
            start = emitter.mul(number, emitter.index(lanes))
            panel = emitter.div(number, self.side)
            column = emitter.mul(emitter.mod(number, self.side), emitter.index(lanes))
            places = self._places(start)
            for depth in range(0, self.nest.depth, lanes):
                wide = min(lanes, self.nest.depth - depth)
                body = VectorBody(emitter, lanes, wide if wide < lanes else 0)
                loaded: list[SSAValue] = []
                for place in places:
                    point = [*self.heads, emitter.index(0), place, emitter.index(depth)]
                    loaded.append(self.load(key, body, point, len(point) - 1))
                transposed = transpose_lanes(emitter, loaded)
                for d, vector in enumerate(transposed[:wide]):
                    where = (panel, emitter.index(depth + d), column)
                    emitter.store_vector(vector, self.panel_keys, where)

        emitter.loop_to(self.panels * self.side, rows)

    # One tile of queries.

    def _tile(self, rows: Values) -> None:
        emitter, self.end = self.emitter, self.emitter.index(self.panels)
        if self.visible is not None:
            self.end = self.visible.panels(rows)
        columns = emitter.mul(self.end, emitter.index(self.width))
        self.seen = emitter.minimum(columns, emitter.index(self.nest.keys))
        maxima = self._score(rows)
        combiner = combiner_of(self.nest.maxima.op)
        assert combiner is not None
        for number, value in enumerate(maxima):
            most = combiner.across_lanes(self.emitter, value)
            self._keep(0, number, most)
        self._exponentials(len(rows))
        self._mix(rows)

    def _keep(self, kind: int, number: int, value: SSAValue) -> None:
        where = (self.emitter.index(kind), self.emitter.index(number))
        self.emitter.store(value, self.row_values, where)

    def _score(self, rows: Values) -> Values:
        """The scores of a tile with all keys, after the epilogue; returns lanewise
        maxima."""
        emitter = self.emitter
        start = [self.lanewise.number(self.nest.lowest)] * len(rows)

        def panel(number: SSAValue, most: Values, last: bool) -> Values:
            is_packed = self.schedule.keys == "panels"
            products = self._products if is_packed else self._dot_products
            sums = products(rows, number)
            return self._weigh(rows, number, sums, list(most), last)

        ragged = self.nest.keys != self.panels * self.width
        whole = self.panels - int(ragged)
        zero, end = emitter.index(0), emitter.index(whole)
        seen = emitter.minimum(self.end, end)
        most = emitter.loop(zero, seen, 1, start, lambda p, m: panel(p, m, False))
        return panel(end, most, True) if ragged else most

    def _products(self, rows: Values, panel: SSAValue) -> Values:
        emitter, lanes = self.emitter, self.lanes
        query = self.nest.scores.inputs[0]

        def term(d: SSAValue, sums: Values) -> Values:
            right = [
                emitter.load_vector(
                    self.panel_keys, (panel, d, emitter.index(v * lanes)), lanes
                )
                for v in range(self.side)
            ]
            points = ([*self.heads, row, emitter.index(0), d] for row in rows)
            left = (
                load_element(emitter, query.value, query.map, point) for point in points
            )
            return outer_product(emitter, left, right, sums)

        zeros = [self.lanewise.number(0.0)] * (len(rows) * self.side)
        return emitter.loop(
            emitter.index(0), emitter.index(self.nest.depth), 1, zeros, term
        )

    def _dot_products(self, rows: Values, panel: SSAValue) -> Values:
        """The scores of a single query, without panels: each key is read only once."""
        emitter, (query, key) = self.emitter, self.nest.scores.inputs
        start = emitter.mul(panel, emitter.index(self.width))
        return [
            self.dot_products(
                (query, [*self.heads, *rows, emitter.index(0)]),
                (key, [*self.heads, *rows]),
                self._places(emitter.offset(start, vector * self.lanes)),
                self.nest.depth,
            )
            for vector in range(self.side)
        ]

    def _places(self, start: SSAValue) -> list[SSAValue]:
        """As many keys as lanes; past the end, the last key is repeated."""
        emitter, last = self.emitter, self.emitter.index(self.nest.keys - 1)
        return [
            emitter.minimum(emitter.offset(start, i), last) for i in range(self.lanes)
        ]

    def _weigh(
        self,
        rows: Values,
        panel: SSAValue,
        sums: Values,
        most: list[SSAValue],
        last: bool,
    ) -> Values:
        """Apply the epilogue to a panel of scores, store them and update the maxima."""
        emitter, lanes = self.emitter, self.lanes
        first = (self.panels - 1) * self.width
        none = self.lanewise.number(float("-inf"))
        start = emitter.mul(panel, emitter.index(self.width))
        for number, row in enumerate(rows):
            for vector in range(self.side):
                left = self.nest.keys - first - vector * lanes if last else lanes
                column = emitter.offset(start, vector * lanes)
                if left <= 0:
                    value = none
                else:
                    body = VectorBody(emitter, lanes, left if left < lanes else 0)
                    sum_ = sums[number * self.side + vector]
                    value = self.inline(
                        self.nest.weighted, body, [*self.heads, row, column], {0: sum_}
                    )
                    if left < lanes:
                        mask = body.first_lanes(left)
                        value = self.lanewise.select(mask, value, none)
                    # The maximum may drop a NaN: the exponential of its score is NaN.
                    larger = self.lanewise.compare("ogt", value, most[number])
                    most[number] = self.lanewise.select(larger, value, most[number])
                where = (emitter.index(number), column)
                emitter.store_vector(value, self.room, where)
        return most

    def _exponentials(self, count: int) -> None:
        """Replace the scores by their exponentials and store the row sums."""
        emitter, lanes = self.emitter, self.lanes
        combiner = combiner_of(self.nest.sums.op)
        assert combiner is not None

        def row(number: SSAValue) -> None:
            most = emitter.load(self.row_values, (emitter.index(0), number))
            body = VectorBody(emitter, lanes)

            def columns(start: SSAValue, sums: Values) -> Values:
                done: list[SSAValue] = []
                for vector, total in enumerate(sums):
                    where = (number, emitter.offset(start, vector * lanes))
                    score = emitter.load_vector(self.room, where, lanes)
                    known = {0: score, 1: most}
                    value = self.inline(self.nest.powers, body, [], known)
                    emitter.store_vector(value, self.room, where)
                    done.append(combiner.combine(emitter, total, value))
                return done

            zeros = [self.lanewise.number(0.0)] * self.side
            end = emitter.mul(self.end, emitter.index(self.width))
            sums = emitter.loop(emitter.index(0), end, self.width, zeros, columns)
            total = sums[0]
            for other in sums[1:]:
                total = combiner.combine(emitter, total, other)
            total = combiner.across_lanes(emitter, total)
            emitter.store(total, self.row_values, (emitter.index(1), number))

        emitter.loop_to(count, row)

    def _mix(self, rows: Values) -> None:
        """The values, weighted by the exponentials, divided by the row sums."""
        emitter, lanes = self.emitter, self.lanes
        vectors = self.mixed_vectors[len(rows)]
        whole = self.nest.values // (vectors * lanes)

        def group(number: SSAValue) -> None:
            start = emitter.mul(number, emitter.index(vectors * lanes))
            self._columns(rows, start, vectors * lanes)

        emitter.loop_to(whole, group)
        done = whole * vectors * lanes
        if done < self.nest.values:
            self._columns(rows, emitter.index(done), self.nest.values - done)

    def _columns(self, rows: Values, start: SSAValue, size: int) -> None:
        emitter, lanes, nest = self.emitter, self.lanes, self.nest
        value = nest.mixed.inputs[1]
        offsets = range(0, size, lanes)
        parts = [
            VectorBody(emitter, lanes, size - o if size - o < lanes else 0)
            for o in offsets
        ]
        columns = [emitter.offset(start, o) for o in offsets]

        def term(t: SSAValue, sums: Values) -> Values:
            right: list[SSAValue] = []
            for part, column in zip(parts, columns, strict=True):
                point = [*self.heads, emitter.index(0), column, t]
                right.append(self.load(value, part, point, len(point) - 2))
            places = ((emitter.index(number), t) for number in range(len(rows)))
            weights = (emitter.load(self.room, place) for place in places)
            return outer_product(emitter, weights, right, sums)

        def terms(lower: SSAValue, count: int, carried: Values) -> Values:
            upper = emitter.minimum(emitter.offset(lower, count), self.seen)
            return emitter.loop(lower, upper, 1, carried, term)

        zeros = [self.lanewise.number(0.0)] * (len(rows) * len(parts))
        sums = iter(
            sum_in_blocks(emitter, nest.keys, zeros, terms, self.schedule.block)
        )
        (out,) = nest.result.outputs
        made = {operand.origin: i for i, operand in enumerate(nest.result.inputs)}
        for number, row in enumerate(rows):
            total = emitter.load(
                self.row_values, (emitter.index(1), emitter.index(number))
            )
            for part, column in zip(parts, columns, strict=True):
                known = {
                    made[nest.mixed.outputs[0].origin]: next(sums),
                    made[nest.sums.outputs[0].origin]: total,
                }
                point = [*self.heads, row, column]
                result = self.inline(nest.result, part, point, known)
                indices = apply_map(emitter, out.map, point)
                part.store(result, out.value, indices)
