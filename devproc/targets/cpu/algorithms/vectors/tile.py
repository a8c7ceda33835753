"""One tile of a nest: a few adjacent vectors, with all of its reduction loops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from devproc.dialects.sched import VectorsSchedule
from devproc.targets.cpu.algorithms.vectors.squares import Squares
from devproc.targets.cpu.algorithms.vectors.sum_loops import SumLoops
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import Part, PartEmitter, Values


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
        """Vectors that cover the iterations; the last is masked, or repeats
        elements."""
        parts = self.parts(start, size)
        if parts[-1].body.active and self.repeats:
            # A whole vector that ends with the loop recomputes a few elements.
            parts.pop()
            back = self.emitter.offset(start, size - self.lanes)
            parts += self.parts(back, self.lanes)
        return parts

    # Start, reduce, epilogue, store.

    def emit_parts(self, parts: Sequence[Part]) -> None:
        """These vectors at the current point of the other parallel loops."""
        if self.nest.reductions:
            done = self.reduce(parts, self.start_sums(parts))
        else:
            started = [self.start(part) for part in parts]
            done = [
                v for p, s in zip(parts, started, strict=True) for v in self.body(p, s)
            ]
        self.finish_parts(parts, done)

    def start_sums(self, parts: Sequence[Part]) -> Values:
        """The accumulators before the first term, part by part."""
        started = [self.start(part) for part in parts]
        return [
            part.body.widen(value)
            for part, values in zip(parts, started, strict=True)
            for value in values
            if value is not None
        ]

    def finish_parts(self, parts: Sequence[Part], results: Values) -> None:
        """The epilogue and the stores, part by part."""
        count = len(self.nest.outputs)
        for index, part in enumerate(parts):
            self.finish(part, results[index * count : (index + 1) * count])

    def reduce(self, parts: Sequence[Part], carried: Values) -> Values:
        """All reduction loops, beginning with these accumulators."""
        loops = SumLoops(
            self.emitter,
            self.nest,
            self.point,
            lambda values: self.accumulate(parts, values),
        )
        return loops.emit(carried, self.block)

    def accumulate(self, parts: Sequence[Part], carried: Values) -> Values:
        """The accumulators of every vector after one more iteration."""
        count = len(self.nest.outputs)
        done: list[SSAValue] = []
        for index, part in enumerate(parts):
            mine = carried[index * count : (index + 1) * count]
            done += [part.body.widen(value) for value in self.body(part, mine)]
        return done


class CrossedTile(VectorTile):
    """A tile by a schedule, with the whole crossing loop if there is one."""

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
        self.squares: Squares | None = None
        if schedule.crossing is not None:
            self.squares = Squares(
                nest, schedule.loop, schedule.crossing, emitter, point
            )

    def emit_parts(self, parts: Sequence[Part]) -> None:
        """These vectors, square by square along a crossing loop."""
        if self.squares is None:
            super().emit_parts(parts)
            return

        def row(part: Part, turned: dict[Operand, SSAValue]) -> None:
            self.turned = turned
            super(CrossedTile, self).emit_parts([part])

        self.squares.emit(parts, row, self.repeats)
