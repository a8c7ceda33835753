"""One tile of a nest: some vectors side by side, with all of its reduction loops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from devproc.algorithms.vectors.squares import Squares
from devproc.dialects.sched import VectorsSchedule
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.nests.long_sums import LongSum
from devproc.transforms.cpu.nests.loop_space import Operand
from devproc.transforms.cpu.nests.nest import Nest
from devproc.transforms.cpu.nests.nest_emitter import Part, PartEmitter, Values


class VectorTile(PartEmitter):
    """Emits tiles of one nest along one loop.

    `repeats`: whether the last vector ends with the loop and repeats elements. `block`:
    terms of a block of a long sum.
    """

    def __init__(
        self,
        nest: Nest,
        loop: int,
        emitter: Emitter,
        *,
        lanes: int,
        point: list[SSAValue],
        repeats: bool = False,
        block: int | None = None,
    ):
        super().__init__(nest, loop, emitter, lanes)
        self.point, self.repeats, self.block = point, repeats, block

    def emit(self, start: SSAValue, size: int) -> None:
        """`size` iterations of the vectorised loop."""
        self.emit_parts(self.tile_parts(start, size))

    def tile_parts(self, start: SSAValue, size: int) -> list[Part]:
        """Vectors that cover the iterations; the last one is masked, or repeats some."""
        parts = self.parts(start, size)
        if parts[-1].body.active and self.repeats:
            # A whole vector that ends with the loop computes a few elements again.
            parts.pop()
            back = self.emitter.offset(start, size - self.lanes)
            parts += self.parts(back, self.lanes)
        return parts

    # Start, reduce, epilogue, store.

    def emit_parts(self, parts: Sequence[Part]) -> None:
        """These vectors at the current point of the other parallel loops."""
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
            done = self.reduce(parts, flat)
        else:
            done = [
                v for p, s in zip(parts, started, strict=True) for v in self.body(p, s)
            ]
        for index, part in enumerate(parts):
            self.finish(part, done[index * count : (index + 1) * count])

    def reduce(self, parts: Sequence[Part], carried: Values) -> Values:
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
            return self.accumulate(parts, carried)
        first, *rest = loops
        emitter = self.emitter

        def body(index: SSAValue, values: Values) -> Values:
            self.point[first] = index
            return self._loops(rest, parts, values, lower, upper)

        if rest:
            zero, end = emitter.index(0), emitter.index(self.nest.sizes[first])
            return emitter.loop(zero, end, 1, carried, body)
        return emitter.loop(lower, upper, 1, carried, body)

    def accumulate(self, parts: Sequence[Part], carried: Values) -> Values:
        """The accumulators of every vector after one more iteration."""
        count = len(self.nest.outputs)
        done: list[SSAValue] = []
        for index, part in enumerate(parts):
            mine = carried[index * count : (index + 1) * count]
            done += [part.body.widen(value) for value in self.body(part, mine)]
        return done


class WalkedTile(VectorTile):
    """A tile in which another parallel loop runs: `inner`, or `crossing` square by square."""

    def __init__(
        self,
        nest: Nest,
        schedule: VectorsSchedule,
        emitter: Emitter,
        point: list[SSAValue],
    ):
        super().__init__(
            nest,
            schedule.loop,
            emitter,
            lanes=schedule.lanes,
            point=point,
            repeats=schedule.ragged == "repeat",
            block=schedule.block,
        )
        self.inner = schedule.inner
        self.squares: Squares | None = None
        if schedule.crossing is not None:
            self.squares = Squares(
                nest, schedule.loop, schedule.crossing, emitter, point
            )

    def emit(self, start: SSAValue, size: int) -> None:
        """`size` iterations of the vectorised loop, with all of the other one."""
        parts = self.tile_parts(start, size)
        if self.inner is not None:
            inner = self.inner

            def at(index: SSAValue) -> None:
                self.point[inner] = index
                self.emit_parts(parts)

            self.emitter.loop_to(self.nest.sizes[inner], at)
        elif self.squares is not None:

            def row(part: Part, turned: dict[Operand, SSAValue]) -> None:
                self.turned = turned
                self.emit_parts([part])

            self.squares.emit(parts, row, self.repeats)
        else:
            self.emit_parts(parts)
