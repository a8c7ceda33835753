"""A loop nest vectorised along one parallel loop, reductions innermost.

The results of the nest are contiguous along that loop. Each tile is a few vectors side
by side: their accumulators stay in registers through the reduction loops and the
epilogue, and are stored once. A ragged end is one more tile whose last vector is masked.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from devproc.transforms.cpu.combiners import accumulates_in_float
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.kernels import body_work, grain_of
from devproc.transforms.cpu.long_sums import LongSum, is_long
from devproc.transforms.cpu.nest import Nest
from devproc.transforms.cpu.nest_emitter import NestEmitter, Part, Values


class VectorNest(NestEmitter):
    """Emits one nest along one loop."""

    def __init__(
        self, nest: Nest, loop: int, emitter: Emitter, vector_bits: int, threads: int
    ):
        super().__init__(nest, loop, emitter, vector_bits, threads)
        work = sum(body_work(op) for op in nest.bodies)
        # Vectors side by side: enough to hide the latency of short bodies.
        self.width = 4 if work <= 4 else 2 if work <= 12 else 1
        self.outer = [
            d for d, parallel in enumerate(nest.parallel) if parallel and d != loop
        ]
        size = nest.sizes[loop]
        self.whole = size // (self.lanes * self.width)
        self.rest = size - self.whole * self.lanes * self.width

    def emit(self) -> None:
        """Emit the loops."""
        self.nest.view(self.emitter)
        self._outer_loops(self.outer, self._split_loop())

    def _split_loop(self) -> int | None:
        """The loop that is spread over threads: the outermost long one, if it pays."""
        for d in self.outer:
            if self.nest.sizes[d] >= 4 * self.threads:
                return d if self._grain(d) else None
        # Many regions, each for one of the few outer iterations.
        return self.loop if self._grain(self.loop) else None

    def _grain(self, loop: int) -> int | None:
        """Iterations of a chunk when this loop is split; None where it does not pay."""
        nest = self.nest
        around = (
            self.outer[: self.outer.index(loop)] if loop != self.loop else self.outer
        )
        work = nest.work // prod(nest.sizes[d] for d in around)
        count = self.whole if loop == self.loop else nest.sizes[loop]
        return grain_of(count, work, self.threads)

    def _outer_loops(self, loops: Sequence[int], split: int | None) -> None:
        if not loops:
            self._vectors(split == self.loop)
            return
        first, *rest = loops
        size = self.nest.sizes[first]

        def body(index: SSAValue) -> None:
            self.point[first] = index
            self._outer_loops(rest, split)

        if first == split:
            grain = self._grain(first) or 1
            self.emitter.parallel([size], grain, lambda indices: body(indices[0]))
        else:
            self.emitter.loop_to(size, body)

    # The vectorised loop.

    def _vectors(self, split: bool) -> None:
        emitter, step = self.emitter, self.lanes * self.width

        def tile(index: SSAValue) -> None:
            start = emitter.mul(index, emitter.index(step))
            self._tile(self.parts(start, step))

        if split:
            grain = self._grain(self.loop) or 1
            emitter.parallel([self.whole], grain, lambda indices: tile(indices[0]))
        else:

            def strided(start: SSAValue, _: Values) -> Values:
                self._tile(self.parts(start, step))
                return ()

            end = emitter.index(self.whole * step)
            emitter.loop(emitter.index(0), end, step, (), strided)
        if self.rest:
            start = emitter.index(self.whole * step)
            self._tile(self.parts(start, self.rest))

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
        if not (accumulates_in_float(self.nest.anchor) and is_long(sizes)):
            return self._loops(loops, parts, carried, zero, end)
        zeros = [self.emitter.number(0.0, value.type) for value in carried]

        def inner(loops: Sequence[int], lower: SSAValue, upper: SSAValue) -> Values:
            return self._loops(loops, parts, zeros, lower, upper)

        long_sum = LongSum(self.emitter, loops, sizes, self.point.__setitem__, inner)
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
