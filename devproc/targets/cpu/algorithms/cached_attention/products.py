"""The two products: of queries and keys, and of weights and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, i8
from xdsl.ir import SSAValue

from devproc.dialects import simd_casts
from devproc.dialects.sched import CachedAttentionSchedule
from devproc.targets.cpu.algorithms.attention.steps import StepEmitter
from devproc.targets.cpu.algorithms.cached_attention.across_lanes import each_combined
from devproc.targets.cpu.algorithms.cached_attention.keys_in_use import Run
from devproc.targets.cpu.algorithms.cached_attention.nest import CachedAttention
from devproc.targets.cpu.algorithms.register_tile.roles import outer_product
from devproc.targets.cpu.transforms.loops.access import apply_map
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.vector_types import AnyVector, vector_type
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest_emitter import Values
from devproc.targets.cpu.transforms.nests.prefetch import line_elements
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody

Rows: TypeAlias = Callable[[Values], None]
"""Emits code for some rows of queries."""

UNROLLED = 128
"""Most multiply-adds of keys in straight code."""


class Products:
    """Emits the products of the rows of a tile with a few keys."""

    def __init__(
        self,
        steps: StepEmitter,
        nest: CachedAttention,
        schedule: CachedAttentionSchedule,
        keys: int,
    ):
        self.steps, self.emitter, self.lanes = steps, steps.emitter, steps.lanes
        self.nest, self.schedule, self.keys = nest, schedule, keys
        self.lanewise = Lanewise(steps.emitter, vector_type(f32, steps.lanes))
        self.query, self.key = nest.scores.inputs[:2]
        self.value = nest.mixed.inputs[1]
        self.width = -(-nest.values // self.lanes) * self.lanes
        """Elements of a value, in whole vectors."""

    def columns(self, start: int, size: int) -> VectorBody:
        """The lanes of a vector that starts here, of a row of this size."""
        left = size - start
        return VectorBody(self.emitter, self.lanes, left if left < self.lanes else 0)

    def _load(
        self, operand: Operand, body: VectorBody, point: list[SSAValue], loop: int
    ) -> SSAValue:
        """A vector along a loop, in float32; lanes after the last are 0."""
        value = body.widen(self.steps.load(operand, body, point, loop))
        type_ = vector_type(f32, self.lanes)
        if value.type == type_:
            return value
        is_integer = cast(AnyVector, value.type).element_type == i8
        widen = simd_casts.SIToFPOp if is_integer else arith.ExtFOp
        return self.emitter.value(widen, (value,), type_)

    # Queries and keys.

    def take_queries(self, rows: Values) -> None:
        """Copy the queries of a tile to where they are read as whole vectors."""
        emitter, depth = self.emitter, self.nest.depth
        wide = -(-depth // self.lanes) * self.lanes
        self.queries = emitter.stack(len(rows), wide)
        for number, row in enumerate(rows):
            for d in range(0, depth, self.lanes):
                point = [*self.steps.heads, row, emitter.index(0), emitter.index(d)]
                value = self._load(
                    self.query, self.columns(d, depth), point, len(point) - 1
                )
                where = (emitter.index(number), emitter.index(d))
                emitter.store_vector(value, self.queries, where)

    def scores(self, rows: Values, run: Run, start: SSAValue) -> SSAValue:
        """The dot products of all rows with the next keys: one vector [row][key]."""
        emitter, depth, lanes = self.emitter, self.nest.depth, self.lanes
        places = run.places(emitter, start, self.keys)
        # While one operand is read from the L2 cache, the other is fetched into it.
        self.prefetch_values(start, self.keys)
        whole = depth // lanes * lanes
        zero = self.lanewise.number(0.0)
        if len(rows) * self.keys * (whole // lanes) <= UNROLLED:
            # Two keys at a time, so that the cache is read in order.
            sums = [[zero] * self.keys for _ in rows]
            for key in range(0, self.keys, 2):
                pair = places[key : key + 2]
                found = [zero] * (len(rows) * len(pair))
                for d in range(0, depth, lanes):
                    found = self._term(rows, pair, emitter.index(d), found, d)
                for row in range(len(rows)):
                    at = row * len(pair)
                    sums[row][key : key + 2] = found[at : at + len(pair)]
            flat = [each for row in sums for each in row]
        else:
            flat = list(
                emitter.loop(
                    emitter.index(0),
                    emitter.index(whole),
                    lanes,
                    [zero] * (len(rows) * self.keys),
                    lambda d, sums: self._term(rows, places, d, sums, 0),
                )
            )
            if whole < depth:
                flat = self._term(rows, places, emitter.index(whole), flat, whole)
        flat += [zero] * (lanes - len(flat))
        return each_combined(emitter, flat, self.lanewise.add)

    def _term(
        self,
        rows: Values,
        places: Sequence[SSAValue],
        d: SSAValue,
        sums: Values,
        start: int,
    ) -> list[SSAValue]:
        """Add the products of one vector of each row and key, [row][key]; `start`: the
        first element, or that of any whole vector."""
        emitter, heads = self.emitter, self.steps.heads
        body = self.columns(start, self.nest.depth)
        keys = [
            self._load(self.key, body, [*heads, rows[0], place, d], len(heads) + 2)
            for place in places
        ]
        done: list[SSAValue] = []
        for number in range(len(rows)):
            where = (emitter.index(number), d)
            query = emitter.load_vector(self.queries, where, self.lanes)
            for key in keys:
                done.append(self.lanewise.fma(query, key, sums[len(done)]))
        return done

    # Weights and values.

    def mixed(
        self, rows: Values, run: Run, columns: Sequence[int], weights: SSAValue
    ) -> Values:
        """The values of a block, weighted: for each row and vector of columns a sum."""
        emitter, keys = self.emitter, self.keys
        zeros = [self.lanewise.number(0.0)] * (len(rows) * len(columns))
        groups = emitter.div(run.count(emitter), keys)

        def few(number: SSAValue, sums: Values) -> Values:
            start = emitter.add(run.start, emitter.mul(number, emitter.index(keys)))
            if columns[0] == 0:
                self._prefetch_keys(emitter.offset(start, self.schedule.keys))
            for key in range(keys):
                place, lane = emitter.offset(start, key), emitter.index(key)
                sums = self._weighted(
                    rows, place, (number, lane), columns, weights, sums
                )
            return sums

        sums = emitter.loop(emitter.index(0), groups, 1, zeros, few)
        if keys == 1:
            return sums
        done = emitter.add(run.start, emitter.mul(groups, emitter.index(keys)))

        def one(place: SSAValue, sums: Values) -> Values:
            lane = emitter.value(arith.SubiOp, (place, done))
            return self._weighted(rows, place, (groups, lane), columns, weights, sums)

        return emitter.loop(done, run.stop, 1, sums, one)

    def _weighted(
        self,
        rows: Values,
        place: SSAValue,
        where: tuple[SSAValue, SSAValue],
        columns: Sequence[int],
        weights: SSAValue,
        sums: Values,
    ) -> Values:
        """Add one value, weighted for each row; `where`: its weight for the first row."""
        emitter, heads = self.emitter, self.steps.heads
        number, lane = where
        values: list[SSAValue] = []
        for column in columns:
            body = self.columns(column, self.nest.values)
            point = [*heads, rows[0], emitter.index(column), place]
            values.append(self._load(self.value, body, point, len(heads) + 1))
        found = [
            emitter.load(weights, (number, emitter.offset(lane, row * self.keys)))
            for row in range(len(rows))
        ]
        return outer_product(emitter, found, values, sums)

    def _prefetch_keys(self, start: SSAValue) -> None:
        """Prefetch the next keys from here, of the block after this one."""
        loop = len(self.steps.heads) + 1
        self._prefetch(self.key, start, self.keys, self.nest.depth, (loop, loop + 1))

    def prefetch_values(self, start: SSAValue, count: int) -> None:
        """Prefetch so many values from here."""
        loop = len(self.steps.heads) + 1
        self._prefetch(self.value, start, count, self.nest.values, (loop + 1, loop))

    def _prefetch(
        self,
        operand: Operand,
        start: SSAValue,
        count: int,
        size: int,
        loops: tuple[int, int],
    ) -> None:
        """Prefetch `count` rows of `size` elements; `loops`: of the rows, and of those."""
        key_loop, loop = loops
        emitter = self.emitter
        if not self.schedule.prefetch or operand.stride(loop) != 1:
            return
        last, step = emitter.index(self.nest.keys - 1), line_elements(operand.value)
        for key in range(count):
            place = emitter.minimum(emitter.offset(start, key), last)
            point = [*self.steps.heads, *[emitter.index(0)] * 3]
            point[key_loop] = place
            for column in range(0, size, step):
                point[loop] = emitter.index(column)
                emitter.prefetch(operand.value, apply_map(emitter, operand.map, point))
