"""Programs of an attention: a block of queries, an online softmax over blocks of keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, StringAttr, f32, i32
from xdsl.ir import Attribute, SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import FlashSchedule
from devproc.dialects.sched.blocks import SMALLEST_DOT
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.algorithms.flash.in_use import KeysInUse, keys_in_use
from devproc.targets.triton.algorithms.flash.nest import Attention, Band
from devproc.targets.triton.algorithms.flash.weights import Weights, weights_of
from devproc.targets.triton.dialect import block_of, element_of, shape_of
from devproc.targets.triton.transforms.to_triton.body import Body
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value
from devproc.targets.triton.transforms.to_triton.generic import Generic, root_of
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div, power_of_two
from devproc.targets.triton.transforms.to_triton.space import Axis, Space

LOWEST = float(np.finfo(np.float32).min)
"""Initial value of a row's maximum: the weights of a row without any key are then 0."""


def expand(
    nest: Attention, schedule: FlashSchedule, program: Program, target: TargetAttr
) -> None:
    """Emit the program of an attention."""
    program.num_warps, program.num_stages = schedule.warps, schedule.stages
    FlashProgram(nest, schedule, program).emit()


NAMES = ("most", "total", "acc")
"""What the values that a program keeps are called in its source."""


@dataclass(frozen=True)
class Rows:
    """What a program keeps of its queries, between blocks of keys."""

    most: SSAValue
    total: SSAValue
    mixed: SSAValue

    @property
    def values(self) -> list[SSAValue]:
        """The carried values of a loop."""
        return [self.most, self.total, self.mixed]


@dataclass
class FlashProgram:
    """The program of an attention being emitted."""

    nest: Attention
    schedule: FlashSchedule
    program: Program
    b: BlockBuilder = field(init=False)
    weights: Weights = field(init=False)
    in_use: KeysInUse | None = None
    """The keys that the program reads, of a cache."""

    def __post_init__(self) -> None:
        self.b = self.program.builder
        self.weights = weights_of(self.b, self.nest, self.program.kernel.strict)
        *_, depth, values = self.nest.sizes
        self.depth, self.values = (
            max(power_of_two(size), SMALLEST_DOT) for size in (depth, values)
        )

    @property
    def stored(self) -> Attribute:
        """The type of the factors of both products: a cache may be narrower."""
        return element_of(self.query.type)

    def emit(self) -> None:
        """All of the program."""
        self._place()
        count, b = len(self.nest.head_dims), self.b
        axis = self._axis(self.nest.scores, count + 2, 0, self.depth, 1, "d")
        self.query = b.to_shape(
            self._read(self.nest.scores, 0, self.row_axis, axis),
            (self.schedule.queries, self.depth),
        )
        bound = self.nest.weighing.bound
        if bound is not None:
            site = self._site(self.nest.steps[1], self.row_axis)
            self.in_use = keys_in_use(self.nest, bound, self.program.kernel, site)
        rows = (self.schedule.queries,)
        most = LOWEST
        if self.weights.scale is not None:
            # Its product with the factor is finite.
            most /= max(self.weights.factor, 1.0)
        self.start = Rows(
            b.to_shape(b.constant(most, f32), rows),
            b.to_shape(b.constant(0.0, f32), rows),
            b.to_shape(b.constant(0.0, f32), (*rows, self.values)),
        )
        self._store(self._visit(self.start))

    def _place(self) -> None:
        """The head and the first query of the program."""
        nest, b, size = self.nest, self.b, self.schedule.queries
        blocks = ceil_div(nest.row_count, size)
        count = blocks * nest.heads
        self.program.grid = (count, 1, 1)
        place: Value = b.program_id(0, "program") if count > 1 else 0
        block = b.mod(place, blocks)
        if nest.weighing.band.high is not None and blocks > 1:
            # The longest programs of a head first.
            block = b.sub(blocks - 1, block)
        self.first = b.mul(block, size)
        extents = tuple(nest.scores.extents[d] for d in nest.outer)
        self.head_axis = Axis(nest.outer, extents, b.div(place, blocks))
        self.row_axis = self.program.block_axis(
            nest.scores, nest.rows, self.first, size, 0, 2, "s"
        )

    # The loops over keys.

    def _visit(self, state: Rows) -> Rows:
        """All blocks of keys that the queries see."""
        b, size, band = self.b, self.schedule.keys, self.nest.weighing.band
        keys = self.nest.sizes[1]
        if self.in_use is not None:
            return self._visit_in_use(self.in_use, state)
        hides_keys = band != Band() or keys % size > 0
        if hides_keys and self.schedule.mask == "apply":
            return self._loop(0, keys, state, is_edge=True)
        last = b.offset(self.first, self.schedule.queries - 1)
        begin, whole_from, end, whole_to = 0, 0, keys, keys // size * size
        if band.low is not None:
            begin = self._aligned(b.offset(self.first, band.low), 0)
            whole_from = self._aligned(b.offset(last, band.low), size - 1)
        if band.high is not None:
            end = self._at_most(b.offset(last, band.high + 1), keys)
            whole_to = self._aligned(b.offset(self.first, band.high + 1), 0)
            whole_to = self._at_most(whole_to, keys // size * size)
        if band.low is not None:
            edge = self._at_most(whole_from, end)
            state = self._loop(begin, edge, state, is_edge=True)
        state = self._loop(whole_from, whole_to, state, is_edge=False)
        rest = b.maximum(whole_from, whole_to)
        return self._loop(rest, end, state, is_edge=True)

    def _visit_in_use(self, keys: KeysInUse, state: Rows) -> Rows:
        """The blocks of a cache that the queries see."""
        begin = self._aligned(keys.begin, 0)
        if self.schedule.mask == "apply":
            return self._loop(begin, keys.end, state, is_edge=True)
        whole_to, whole_from = self._aligned(keys.all_to, 0), begin
        if keys.window is not None:
            whole_from = self._aligned(keys.all_from, self.schedule.keys - 1)
            edge = self._at_most(whole_from, keys.end)
            state = self._loop(begin, edge, state, is_edge=True)
        state = self._loop(whole_from, whole_to, state, is_edge=False)
        rest = self.b.maximum(whole_from, whole_to)
        return self._loop(rest, keys.end, state, is_edge=True)

    def _aligned(self, place: Value, extra: int) -> Value:
        """The place plus `extra`, at least 0, rounded down to a block of keys."""
        b, size = self.b, self.schedule.keys
        place = b.maximum(b.offset(place, extra), 0)
        return b.mul(b.div(place, size), size)

    def _at_most(self, place: Value, most: Value) -> Value:
        return self.b.minimum(place, most)

    def _loop(self, low: Value, high: Value, state: Rows, is_edge: bool) -> Rows:
        """The blocks of keys from `low` to `high`; at an edge, some keys are hidden."""
        size = self.schedule.keys
        if isinstance(low, int) and isinstance(high, int):
            if low >= high:
                return state
            if high - low <= size:
                return self._step(low, state, is_edge)

        def body(t: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            return self._step(t, Rows(*carried), is_edge).values

        done = self.b.loop_between(low, high, size, state.values, body, "t")
        loop = done[0].owner
        assert isinstance(loop, scf.ForOp)
        for argument, name in zip(loop.body.block.args[1:], NAMES, strict=True):
            argument.name_hint = name
        return Rows(*done)

    def _step(self, t: Value, state: Rows, is_edge: bool) -> Rows:
        """One block of keys."""
        b, nest, size = self.b, self.nest, self.schedule.keys
        count, queries = len(nest.head_dims), self.schedule.queries
        key_axis = self._keys(nest.scores, count + 1, t, 1, is_edge)
        depth = self._axis(nest.scores, count + 2, 0, self.depth, 0, "d")
        key = self._read(nest.scores, 1, depth, key_axis)
        key = b.to_float(b.to_shape(key, (self.depth, size)), self.stored)
        zero = b.to_shape(b.constant(0.0, f32), (queries, size))
        score = self._dot(self.query, key, zero, "score")

        site = self._site(nest.steps[1], self.row_axis, key_axis)
        score = self.weights.masked(
            self.program.kernel, site, score, is_edge, self.in_use
        )
        most = b.elementwise(
            arith.MaxnumfOp, b.reduce("max", score, 1, keep=False), state.most
        )
        power = self.weights.power(score, self._column(most))
        total, mixed = b.reduce("sum", power, 1, keep=False), state.mixed
        most.name_hint, power.name_hint = "new", "p"
        if state is not self.start:
            down = self.weights.power(state.most, most)
            down.name_hint = "down"
            scaled = b.elementwise(arith.MulfOp, state.total, down)
            total = b.elementwise(arith.AddfOp, scaled, total)
            mixed = b.elementwise(arith.MulfOp, mixed, self._column(down))

        key_axis = self._keys(nest.mixed, count + 2, t, 0, is_edge)
        element = self._axis(nest.mixed, count + 1, 0, self.values, 1, "e")
        value = self._read(nest.mixed, 1, key_axis, element)
        value = b.to_float(b.to_shape(value, (size, self.values)), self.stored)
        power = b.to_float(power, element_of(value.type))
        return Rows(most, total, self._dot(power, value, mixed, "acc"))

    # Parts of a step.

    def _axis(
        self, generic: Generic, dim: int, start: Value, size: int, at: int, hint: str
    ) -> Axis:
        return self.program.block_axis(generic, (dim,), start, size, at, 2, hint)

    def _keys(
        self, generic: Generic, dim: int, t: Value, at: int, is_edge: bool
    ) -> Axis:
        """A block of keys; only at an edge there may be some that are not read."""
        axis = self._axis(generic, dim, t, self.schedule.keys, at, "t")
        if not is_edge:
            return replace(axis, mask=None)
        if self.in_use is None:
            return axis
        return replace(axis, mask=self.in_use.by_any(self.b, self.b.ssa(axis.index)))

    def _site(self, generic: Generic, *axes: Axis) -> Site:
        space = Space(self.b, [self.head_axis, *axes])
        return self.program.site(generic, space)

    def _read(self, generic: Generic, index: int, *axes: Axis) -> SSAValue:
        site = self._site(generic, *axes)
        return self.program.kernel.read(
            generic.inputs[index], generic.maps[index], site
        )

    def _dot(self, a: SSAValue, b: SSAValue, acc: SSAValue, hint: str) -> SSAValue:
        shape = (shape_of(a.type)[0], shape_of(b.type)[1])
        properties = {"input_precision": StringAttr(self.schedule.precision)}
        return self.b.pure(
            triton.DotOp, [a, b, acc], block_of(f32, shape), dict(properties), hint
        )

    def _column(self, value: SSAValue) -> SSAValue:
        """A value of each row as a column."""
        shape = (*shape_of(value.type), 1)
        return self.b.pure(
            triton.ExpandDimsOp,
            [value],
            block_of(element_of(value.type), shape),
            {"axis": IntegerAttr(1, i32)},
        )

    # Results.

    def _store(self, rows: Rows) -> None:
        """The quotient; for a part of the keys, what the second kernel combines."""
        nest, count = self.nest, len(self.nest.head_dims)
        element = self._axis(nest.mixed, count + 1, 0, self.values, 1, "e")
        total = self._column(rows.total)
        if nest.result is None:
            most = self.weights.in_scores(self._column(rows.most))
            self._write(nest.mixed, rows.mixed, self.row_axis, element)
            self._write(nest.steps[2], most, self.row_axis)
            self._write(nest.steps[4], total, self.row_axis)
            return
        site = self._site(nest.result, self.row_axis, element)
        known = {root_of(nest.mixed.outputs[0]): rows.mixed}
        arguments = [known.get(root_of(v), total) for v in nest.result.inputs]
        body = Body(self.b, site, self.program.kernel.strict)
        (value,) = body.run(nest.result.block, [*arguments, None])
        self._write(nest.result, value, self.row_axis, element)

    def _write(self, generic: Generic, value: SSAValue, *axes: Axis) -> None:
        site = self._site(generic, *axes)
        self.program.kernel.store(
            generic.outputs[0], generic.output_maps[0], site, value
        )
