"""Emits attention over a cache: a few rows of queries with blocks of keys.

The scores of a few keys with all rows of a tile are one vector, [row][key]: their sums are
added across lanes together, and masks, maxima and exponentials take no more ops than for
one row. Rows that the tile lacks have lanes that nothing reads.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import CachedAttentionSchedule
from devproc.targets.cpu.algorithms.attention.steps import StepEmitter
from devproc.targets.cpu.algorithms.cached_attention.across_lanes import (
    Combine,
    combined,
)
from devproc.targets.cpu.algorithms.cached_attention.integer_scores import (
    IntegerScores,
)
from devproc.targets.cpu.algorithms.cached_attention.keys_in_use import KeysInUse, Run
from devproc.targets.cpu.algorithms.cached_attention.nest import CachedAttention
from devproc.targets.cpu.algorithms.cached_attention.plan import (
    lanes_of,
    lanes_per_row,
    shared_shapes,
)
from devproc.targets.cpu.algorithms.cached_attention.products import Products, Rows
from devproc.targets.cpu.transforms.loops.access import apply_map
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit
from devproc.targets.cpu.transforms.loops.vector_types import vector_type
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest_emitter import Values
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody

MOST, TOTAL = 0, 1
"""The rows of a tile's statistics: the largest scores, and the sums of the weights."""


def expand(
    nest: CachedAttention,
    schedule: CachedAttentionSchedule,
    emitter: Emitter,
    target: TargetAttr,
) -> None:
    """Emit the loops of an attention over a cache."""
    emitter.location = nest.ops[0].location
    CachedAttentionLoops(nest, schedule, emitter, target).emit()


class CachedAttentionLoops(StepEmitter):
    """The state of one attention over a cache being emitted."""

    def __init__(
        self,
        nest: CachedAttention,
        schedule: CachedAttentionSchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        super().__init__(emitter, lanes_of(target))
        self.nest, self.schedule = nest, schedule
        self.lanewise = Lanewise(emitter, vector_type(f32, self.lanes))
        split = RowSplit.of(nest.queries, schedule.rows)
        assert split is not None
        self.split = split
        self.per_row = lanes_per_row(schedule.rows)
        self.keys = self.lanes // self.per_row
        self.body = VectorBody(emitter, self.lanes)
        self.products = Products(self, nest, schedule, self.keys)
        self.integers = IntegerScores(self, nest, schedule.digits)
        self.width = self.products.width

    def emit(self) -> None:
        """Emit the loops over heads, tiles and parts, spread over threads."""
        emitter, parts = self.emitter, self.schedule.parts
        sizes = [*self.nest.leading, self.split.count, parts]
        shared: list[SSAValue] = []
        if parts > 1:
            shapes = shared_shapes(self.nest, self.schedule, self.lanes)
            shared = [emitter.stack(*shape) for shape in shapes]

        def chunk(indices: Sequence[SSAValue]) -> None:
            *heads, tile, part = self._all_indices(indices, sizes)
            self.heads = heads
            self._in_tile(tile, lambda rows: self._part(rows, part, tile, shared))

        emitter.for_each(
            [size for size in sizes if size > 1], self.schedule.grain, chunk
        )
        if not shared:
            return

        def combine(indices: Sequence[SSAValue]) -> None:
            *heads, tile = self._all_indices(indices, sizes[:-1])
            self.heads = heads
            self._in_tile(tile, lambda rows: self._combine(rows, tile, shared))

        emitter.for_each([size for size in sizes[:-1] if size > 1], None, combine)

    def _all_indices(
        self, indices: Sequence[SSAValue], sizes: Sequence[int]
    ) -> list[SSAValue]:
        """The indices of all loops, also of those of one iteration."""
        found = iter(indices)
        return [next(found) if n > 1 else self.emitter.index(0) for n in sizes]

    def _in_tile(self, tile: SSAValue, emit: Rows) -> None:
        """Emit code for a tile's rows, of which there are two kinds."""
        emitter, split = self.emitter, self.split
        if not split.short:
            emit(emitter.rows_of(split, tile))
        elif not split.tall:
            emit(emitter.rows_of(split, tile, True))
        else:
            emitter.branch_below(
                tile,
                split.tall,
                lambda: emit(emitter.rows_of(split, tile)),
                lambda: emit(emitter.rows_of(split, tile, True)),
            )

    # One part of the keys of one tile.

    def _part(
        self, rows: Values, part: SSAValue, tile: SSAValue, shared: Values
    ) -> None:
        emitter, parts = self.emitter, self.schedule.parts
        self.use = KeysInUse(self, self.nest, rows, self.keys)
        run = self.use.part(part, parts)
        if shared:
            number = self._number(tile, part)
            self.sums_at = (shared[0], (number,))
            self.statistics_at = (shared[1], (number,))
        else:
            zero = emitter.index(0)
            self.sums_at = (emitter.stack(1, len(rows), self.width), (zero,))
            self.statistics_at = (emitter.stack(1, 2, self.lanes), (zero,))
        self.room = emitter.stack(self.schedule.keys // self.keys, self.lanes)
        self.factors = emitter.stack(self.lanes)
        self._begin(rows)
        if self.schedule.digits:
            self.integers.take_queries(rows)
        else:
            self.products.take_queries(rows)
        emitter.loop_between(
            run.start,
            run.stop,
            lambda start: self._block(rows, run.block(emitter, start, self.schedule)),
            self.schedule.keys,
        )
        if not shared:
            self._finish(rows)

    def _number(self, tile: SSAValue, part: SSAValue) -> SSAValue:
        """The number of a part among those of all tiles and heads."""
        emitter, number = self.emitter, self.emitter.index(0)
        sizes = [*self.nest.leading, self.split.count, self.schedule.parts]
        for index, size in zip((*self.heads, tile, part), sizes, strict=True):
            number = emitter.add(emitter.mul(number, emitter.index(size)), index)
        return number

    def _begin(self, rows: Values) -> None:
        zero = self.lanewise.number(0.0)
        for number in range(len(rows)):
            for column in range(0, self.width, self.lanes):
                self._store_sums(zero, number, column)
        self._store_statistics(self.lanewise.number(self.nest.lowest), MOST)
        self._store_statistics(zero, TOTAL)

    def _load_sums(self, number: int, column: int) -> SSAValue:
        memory, place = self.sums_at
        where = (*place, self.emitter.index(number), self.emitter.index(column))
        return self.emitter.load_vector(memory, where, self.lanes)

    def _store_sums(self, value: SSAValue, number: int, column: int) -> None:
        memory, place = self.sums_at
        where = (*place, self.emitter.index(number), self.emitter.index(column))
        self.emitter.store_vector(value, memory, where)

    def _load_statistics(self, kind: int) -> SSAValue:
        memory, place = self.statistics_at
        where = (*place, self.emitter.index(kind), self.emitter.index(0))
        return self.emitter.load_vector(memory, where, self.lanes)

    def _store_statistics(self, value: SSAValue, kind: int) -> None:
        memory, place = self.statistics_at
        where = (*place, self.emitter.index(kind), self.emitter.index(0))
        self.emitter.store_vector(value, memory, where)

    # One block of keys.

    def _block(self, rows: Values, run: Run) -> None:
        emitter = self.emitter
        most = self._scores(rows, run)
        before = self._load_statistics(MOST)
        most = self._larger(self._over_keys(most, self._larger), before)
        self._store_statistics(most, MOST)
        factor = self._power(before, most)
        emitter.store_vector(factor, self.factors, (emitter.index(0),))
        total = self._powers(run, most)
        total = self.lanewise.fma(self._load_statistics(TOTAL), factor, total)
        self._store_statistics(total, TOTAL)
        self._mix(rows, run)

    def _scores(self, rows: Values, run: Run) -> SSAValue:
        """Store the scores of a block, after the epilogue; returns lanewise maxima."""
        emitter = self.emitter
        none = self.lanewise.number(float("-inf"))

        def start_of(number: SSAValue, size: int) -> SSAValue:
            return emitter.add(run.start, emitter.mul(number, emitter.index(size)))

        def keep(number: SSAValue, score: SSAValue, carried: Values) -> Values:
            start = start_of(number, self.keys)
            score = self._scaled(score, self.nest.key_scales, start, -2)
            score = self._weigh(rows, run, start, score)
            emitter.store_vector(score, self.room, (number, emitter.index(0)))
            return [self._larger(score, carried[0])]

        def few(number: SSAValue, carried: Values) -> Values:
            start = start_of(number, self.keys)
            return keep(number, self.products.scores(rows, run, start), carried)

        def many(number: SSAValue, carried: Values) -> Values:
            start = start_of(number, self.lanes)
            self.products.prefetch_values(start, self.lanes)
            found = self.integers.scores(rows, run, start, self.per_row)
            first = emitter.mul(number, emitter.index(self.per_row))
            for offset, score in enumerate(found):
                carried = keep(emitter.offset(first, offset), score, carried)
            return carried

        each, body = (self.lanes, many) if self.schedule.digits else (self.keys, few)
        groups = run.groups(emitter, each)
        (most,) = emitter.loop(emitter.index(0), groups, 1, [none], body)
        return most

    def _scaled(
        self, value: SSAValue, scales: Operand | None, start: SSAValue, loop: int
    ) -> SSAValue:
        """A value for each of the next keys, times the scales of their rows if there are
        any."""
        if scales is None:
            return value
        return self.lanewise.mul(value, self.use.scales(scales, start, loop))

    def _weigh(
        self, rows: Values, run: Run, start: SSAValue, score: SSAValue
    ) -> SSAValue:
        """The epilogue of the scores, for the keys that each row sees."""
        step, emitter = self.nest.weighted, self.emitter
        seen = self.use.seen(start, run.stop)
        arguments: list[SSAValue | None] = [score]
        for operand in step.inputs[1:]:
            is_mask = operand in self.nest.masks
            arguments.append(
                self.use.mask(operand, rows, run, start) if is_mask else None
            )
        arguments += [None] * len(step.outputs)
        known = self.nest.bound.known(seen)
        (value,) = self.body.inline(step.op, arguments, emitter.index, known)
        return value

    def _larger(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The larger of both. It may drop a NaN: the exponential of its score is NaN."""
        return self.lanewise.select(self.lanewise.compare("ogt", a, b), a, b)

    def _over_keys(self, value: SSAValue, combine: Combine) -> SSAValue:
        """All lanes of a row combined, in each of them."""
        return combined(self.emitter, value, self.keys, combine)

    def _power(self, score: SSAValue, most: SSAValue) -> SSAValue:
        """exp(score - most), as the kernel computes it."""
        step, known = self.nest.powers, {0: score, 1: most}
        return self.inline(step, self.body, [], known)

    def _powers(self, run: Run, most: SSAValue) -> SSAValue:
        """Replace the scores by the weights of the values, their exponentials; returns
        lanewise sums."""
        emitter, zero = self.emitter, self.emitter.index(0)

        def few(number: SSAValue, carried: Values) -> Values:
            where = (number, zero)
            score = emitter.load_vector(self.room, where, self.lanes)
            power = self._power(score, most)
            start = emitter.mul(number, emitter.index(self.keys))
            start = emitter.add(run.start, start)
            weight = self._scaled(power, self.nest.value_scales, start, -1)
            emitter.store_vector(weight, self.room, where)
            return [self.lanewise.add(carried[0], power)]

        zeros = [self.lanewise.number(0.0)]
        (total,) = emitter.loop(zero, run.groups(emitter, self.keys), 1, zeros, few)
        return total

    def _mix(self, rows: Values, run: Run) -> None:
        """Rescale the sums, and add the values of a block, weighted."""
        emitter, step = self.emitter, self.schedule.mix * self.lanes
        factors = [self._lane(self.factors, (), number) for number in range(len(rows))]
        for column in range(0, self.width, step):
            columns = range(column, min(column + step, self.width), self.lanes)
            found = self.products.mixed(rows, run, columns, self.room)
            sums = iter(found)
            for number, factor in enumerate(factors):
                wide = emitter.broadcast(factor, self.lanes)
                for each in columns:
                    before = self._load_sums(number, each)
                    self._store_sums(
                        self.lanewise.fma(before, wide, next(sums)), number, each
                    )

    def _lane(
        self, memory: SSAValue, place: Sequence[SSAValue], number: int
    ) -> SSAValue:
        """What memory [row][key] holds for a row."""
        where = (*place, self.emitter.index(number * self.keys))
        return self.emitter.load(memory, where)

    # The result.

    def _combine(self, rows: Values, tile: SSAValue, shared: Values) -> None:
        """Combine the parts of a tile into the first, and finish."""
        emitter, parts = self.emitter, self.schedule.parts
        numbers = [self._number(tile, emitter.index(part)) for part in range(parts)]
        places = [((shared[0], (n,)), (shared[1], (n,))) for n in numbers]
        found: list[tuple[SSAValue, SSAValue]] = []
        for self.sums_at, self.statistics_at in places:
            found.append((self._load_statistics(MOST), self._load_statistics(TOTAL)))
        most = found[0][0]
        for other, _ in found[1:]:
            most = self._larger(other, most)
        all_factors = emitter.stack(parts, self.lanes)
        total = self.lanewise.number(0.0)
        for part, (before, partial) in enumerate(found):
            factor = self._power(before, most)
            where = (emitter.index(part), emitter.index(0))
            emitter.store_vector(factor, all_factors, where)
            total = self.lanewise.fma(partial, factor, total)
        for number in range(len(rows)):
            for column in range(0, self.width, self.lanes):
                value = self.lanewise.number(0.0)
                for part, (self.sums_at, _) in enumerate(places):
                    factor = self._lane(all_factors, (emitter.index(part),), number)
                    wide = emitter.broadcast(factor, self.lanes)
                    value = self.lanewise.fma(
                        self._load_sums(number, column), wide, value
                    )
                self.sums_at, self.statistics_at = places[0]
                self._store_sums(value, number, column)
        self._store_statistics(total, TOTAL)
        self._finish(rows)

    def _finish(self, rows: Values) -> None:
        """Divide the sums by those of the weights, and store the results."""
        emitter, nest = self.emitter, self.nest
        total = self._over_keys(self._load_statistics(TOTAL), self.lanewise.add)
        self._store_statistics(total, TOTAL)
        (out,) = nest.result.outputs
        made = {operand.origin: i for i, operand in enumerate(nest.result.inputs)}
        memory, place = self.statistics_at
        for number, row in enumerate(rows):
            total = self._lane(memory, (*place, emitter.index(TOTAL)), number)
            for column in range(0, nest.values, self.lanes):
                part = self.products.columns(column, nest.values)
                known = {
                    made[nest.mixed.outputs[0].origin]: self._load_sums(number, column),
                    made[nest.sums.outputs[0].origin]: total,
                }
                point = [*self.heads, row, emitter.index(column)]
                result = self.inline(nest.result, part, point, known)
                part.store(result, out.value, apply_map(emitter, out.map, point))
