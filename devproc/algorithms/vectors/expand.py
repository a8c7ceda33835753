"""The loops of a nest in vectors along one parallel loop, reductions innermost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from devproc.algorithms.vectors.match import VectorizableNest, parallel_loops
from devproc.algorithms.vectors.squares import Squares
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import VectorsSchedule
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.nests.long_sums import LongSum
from devproc.transforms.cpu.nests.loop_space import Operand
from devproc.transforms.cpu.nests.nest import Nest
from devproc.transforms.cpu.nests.nest_emitter import Part, PartEmitter, Values


def expand(
    found: VectorizableNest,
    schedule: VectorsSchedule,
    emitter: Emitter,
    target: TargetAttr,
    fixed: Mapping[int | None, SSAValue] | None = None,
) -> None:
    """Emit the loops of a nest.

    `fixed`: the index of each loop that `found` leaves out (`vectorized`).
    """
    loops_of(found.nest, schedule, emitter, fixed or {}).emit()


def loops_of(
    nest: Nest,
    schedule: VectorsSchedule,
    emitter: Emitter,
    fixed: Mapping[int | None, SSAValue],
) -> VectorLoops:
    """The loops of a nest by a schedule."""
    inside = (schedule.loop, schedule.inner, schedule.crossing, *fixed)
    loops = VectorLoops(
        nest,
        schedule.loop,
        emitter,
        lanes=schedule.lanes,
        vectors=schedule.vectors,
        outer=parallel_loops(nest, *inside),
        inner=schedule.inner,
        crossing=schedule.crossing,
        repeats=schedule.ragged == "repeat",
        block=schedule.block,
        split=schedule.split,
        grain=schedule.grain,
    )
    for loop, index in fixed.items():
        if loop is not None:
            loops.point[loop] = index
    return loops


class VectorLoops(PartEmitter):
    """Emits one nest along one loop, in tiles of `vectors` vectors.

    `outer`: the parallel loops around the tiles. `inner`: one that runs within each tile;
    `crossing`: one along which squares of inputs are read. `repeats`: whether the last
    vector ends with the loop and repeats elements. `block`: terms of a block of a long sum.
    `split`: the loop that is spread over threads, `grain` iterations a chunk.
    """

    def __init__(
        self,
        nest: Nest,
        loop: int,
        emitter: Emitter,
        *,
        lanes: int,
        vectors: int,
        outer: Sequence[int],
        inner: int | None = None,
        crossing: int | None = None,
        repeats: bool = False,
        block: int | None = None,
        split: int | None = None,
        grain: int | None = None,
    ):
        super().__init__(nest, loop, emitter, lanes)
        self.width, self.outer, self.inner = vectors, list(outer), inner
        self.repeats, self.block = repeats, block
        self.split_loop, self.grain = split, grain or 1
        self.squares: Squares | None = None
        if crossing is not None:
            self.squares = Squares(nest, loop, crossing, emitter, self.point)
        self.whole, self.rest = divmod(nest.sizes[loop], lanes * vectors)

    def emit(self) -> None:
        """Emit the loops."""
        self.nest.view(self.emitter)
        self.outer_loops(self.outer, self.split_loop)

    def outer_loops(self, loops: Sequence[int], split: int | None) -> None:
        """These loops, one inside the other, around the vectorised one."""
        if not loops:
            self.vectors(split == self.loop)
            return
        first, *rest = loops
        size = self.nest.sizes[first]

        def body(index: SSAValue) -> None:
            self.point[first] = index
            self.outer_loops(rest, split)

        if first == split:
            self.emitter.parallel([size], self.grain, lambda indices: body(indices[0]))
        else:
            self.emitter.loop_to(size, body)

    # The vectorised loop.

    def vectors(self, split: bool) -> None:
        """The vectorised loop."""
        emitter, step = self.emitter, self.lanes * self.width

        def tile(index: SSAValue) -> None:
            start = emitter.mul(index, emitter.index(step))
            self._tiles(start, step)

        if split:
            emitter.parallel([self.whole], self.grain, lambda indices: tile(indices[0]))
        else:

            def strided(start: SSAValue) -> None:
                self._tiles(start, step)

            end = emitter.index(self.whole * step)
            emitter.loop_between(emitter.index(0), end, strided, step)
        if self.rest:
            start = emitter.index(self.whole * step)
            self._tiles(start, self.rest)

    def _tiles(self, start: SSAValue, size: int) -> None:
        """`size` iterations of the vectorised loop, with all of a crossing loop."""
        emitter, parts = self.emitter, self.parts(start, size)
        active = parts[-1].body.active
        if active and self.repeats:
            # A whole vector that ends with the loop computes a few elements again.
            parts.pop()
            back = emitter.offset(start, size - self.lanes)
            parts += self.parts(back, self.lanes)
        if self.inner is not None:
            emitter.loop_to(
                self.nest.sizes[self.inner], lambda index: self._at(index, parts)
            )
            return
        if self.squares is None:
            self._tile(parts)
            return

        def row(part: Part, turned: dict[Operand, SSAValue]) -> None:
            self.turned = turned
            self._tile([part])

        self.squares.emit(parts, row, self.repeats)

    def _at(self, index: SSAValue, parts: Sequence[Part]) -> None:
        """A tile at an iteration of the loop within."""
        assert self.inner is not None
        self.point[self.inner] = index
        self._tile(parts)

    # One tile: start, reduce, epilogue, store.

    def _tile(self, parts: Sequence[Part]) -> None:
        nest = self.nest
        started = [self.start(part) for part in parts]
        count = len(nest.outputs)
        if nest.reductions:
            flat = [
                part.body.widen(value)
                for part, values in zip(parts, started, strict=True)
                for value in values
                if value is not None
            ]
            done = self._reduce(parts, flat)
        else:
            done = [
                v for p, s in zip(parts, started, strict=True) for v in self.body(p, s)
            ]
        for index, part in enumerate(parts):
            self.finish(part, done[index * count : (index + 1) * count])

    def _reduce(self, parts: Sequence[Part], carried: Values) -> Values:
        """All reduction loops, beginning with these accumulators."""
        loops = self.nest.reductions
        sizes = [self.nest.sizes[d] for d in loops]
        zero, end = self.emitter.index(0), self.emitter.index(sizes[-1])
        if self.block is None:
            return self._loops(loops, parts, carried, zero, end)
        zeros = [self.emitter.number(0.0, value.type) for value in carried]

        def inner(loops: Sequence[int], lower: SSAValue, upper: SSAValue) -> Values:
            return self._loops(loops, parts, zeros, lower, upper)

        set_index = self.point.__setitem__
        long_sum = LongSum(self.emitter, loops, sizes, set_index, inner, self.block)
        return long_sum.emit(carried)

    def _loops(
        self,
        loops: Sequence[int],
        parts: Sequence[Part],
        carried: Values,
        lower: SSAValue,
        upper: SSAValue,
    ) -> Values:
        """Reduction loops; the innermost one runs between bounds."""
        if not loops:
            return self._accumulate(parts, carried)
        first, *rest = loops
        emitter = self.emitter

        def body(index: SSAValue, values: Values) -> Values:
            self.point[first] = index
            return self._loops(rest, parts, values, lower, upper)

        if rest:
            zero, end = emitter.index(0), emitter.index(self.nest.sizes[first])
            return emitter.loop(zero, end, 1, carried, body)
        return emitter.loop(lower, upper, 1, carried, body)

    def _accumulate(self, parts: Sequence[Part], carried: Values) -> Values:
        """The accumulators of every vector after one more iteration."""
        count = len(self.nest.outputs)
        done: list[SSAValue] = []
        for index, part in enumerate(parts):
            mine = carried[index * count : (index + 1) * count]
            done += [part.body.widen(value) for value in self.body(part, mine)]
        return done
