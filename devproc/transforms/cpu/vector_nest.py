"""A loop nest vectorised along one parallel loop, reductions innermost.

The results of the nest are contiguous along that loop. Each tile is a few vectors side
by side: their accumulators stay in registers through the reduction loops and the
epilogue, and are stored once. A ragged end is one more tile whose last vector is masked.
Where inputs are contiguous along another loop, that loop is walked within each tile, a
square of vectors at a time (`transposed_reads.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import memref
from xdsl.ir import SSAValue

from devproc.transforms.cpu.combiners import accumulates_in_float
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.kernels import body_work, grain_of
from devproc.transforms.cpu.long_sums import LongSum, is_long
from devproc.transforms.cpu.loop_space import Operand
from devproc.transforms.cpu.nest import Nest
from devproc.transforms.cpu.nest_emitter import NestEmitter, Part, Values
from devproc.transforms.cpu.transposed_reads import Squares, crossing_loop


def registers_at_once(count: int) -> int:
    """Registers that one vector value takes, of `count` in a row; few stay unused.

    LLVM computes such a value op by op for all of its registers, so their chains of
    operations run side by side; of one chain after the other, a processor looks ahead
    over too few.
    """
    return next(n for n in (4, 2, 1) if -(-count // n) * n <= 1.15 * count)


class VectorNest(NestEmitter):
    """Emits one nest along one loop."""

    def __init__(
        self, nest: Nest, loop: int, emitter: Emitter, vector_bits: int, threads: int
    ):
        super().__init__(nest, loop, emitter, vector_bits, threads)
        work = sum(body_work(op) for op in nest.bodies)
        # Vectors side by side: enough to hide the latency of short bodies.
        self.width = 4 if work <= 4 else 2 if work <= 12 else 1
        other = crossing_loop(nest, loop)
        self.squares: Squares | None = None
        if other is not None:
            self.squares = Squares(nest, loop, other, emitter, self.point)
            self.width = 1
        self.outer = [
            d
            for d, parallel in enumerate(nest.parallel)
            if parallel and d not in (loop, other)
        ]
        size = nest.sizes[loop]
        if work > 12 and self._is_plain():
            self.lanes *= registers_at_once(-(-size // self.lanes))
        self.whole = size // (self.lanes * self.width)
        self.rest = size - self.whole * self.lanes * self.width

    def _is_plain(self) -> bool:
        """Whether all is read in vectors or once for all lanes, and nothing summed up."""
        return not (
            self.nest.reductions
            or any(o.stride(self.loop) not in (0, 1) for o in self.nest.operands)
            or any(
                isinstance(inner, memref.LoadOp)
                for op in self.nest.bodies
                for inner in op.body.block.ops
            )
        )

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
            self._tiles(start, step)

        if split:
            grain = self._grain(self.loop) or 1
            emitter.parallel([self.whole], grain, lambda indices: tile(indices[0]))
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
        parts = self.parts(start, size)
        if self.squares is None:
            self._tile(parts)
            return

        def row(turned: dict[Operand, SSAValue]) -> None:
            self.turned = turned
            self._tile(parts)

        self.squares.emit(parts[0], row)

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
