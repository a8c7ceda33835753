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
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from devproc.algorithms.vectors.transposed_reads import Squares, crossing_loop
from devproc.transforms.cpu.loops.combiners import accumulates_in_float
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import StructuredOp, body_work, grain_of
from devproc.transforms.cpu.nests.long_sums import BLOCK, LongSum, is_long
from devproc.transforms.cpu.nests.loop_space import Operand
from devproc.transforms.cpu.nests.nest import Nest
from devproc.transforms.cpu.nests.nest_emitter import (
    NestEmitter,
    Part,
    Values,
    picks_elements,
    varying_values,
)

LINE_BITS = 512
"""A line of the cache."""


FEWEST_SHARING, LEAST_SHARED = 4, 24
"""Iterations of a loop, and operations that are the same for all of them, from which on
the loop is worth being the innermost."""


def registers_at_once(count: int) -> int:
    """Registers that one vector value takes, of `count` in a row; few stay unused.

    LLVM computes such a value op by op for all of its registers, so their chains of
    operations run side by side; of one chain after the other, a processor looks ahead
    over too few.
    """
    return next(n for n in (4, 2, 1) if -(-count // n) * n <= 1.15 * count)


def can_repeat(nest: Nest) -> bool:
    """Whether iterations may run again: nothing reads what the nest writes."""
    if nest.reductions or nest.epilogue is not None:
        return False
    body = nest.anchor.body.block
    if any(argument.uses for argument in body.args[len(nest.inputs) :]):
        return False
    written = [operand.origin for operand in nest.outputs]
    read = {o.origin for o in nest.inputs if o.is_memref}
    read |= {o.memref for o in body.ops if isinstance(o, memref.LoadOp)}
    return all(map(_is_own, written)) and all(
        isinstance(value, BlockArgument) and value not in written for value in read
    )


def _is_own(value: SSAValue) -> bool:
    """Whether a value is an argument of its kernel that overlaps no other one."""
    if not isinstance(value, BlockArgument):
        return False
    function = value.owner.parent_op()
    if not isinstance(function, FuncOp) or function.arg_attrs is None:
        return False
    return "llvm.noalias" in function.arg_attrs.data[value.index].data


class VectorNest(NestEmitter):
    """Emits one nest along one loop."""

    def __init__(
        self, nest: Nest, loop: int, emitter: Emitter, vector_bits: int, threads: int
    ):
        super().__init__(nest, loop, emitter, vector_bits, threads)
        work = sum(self._work_of(op) for op in nest.bodies)
        # Vectors side by side: enough to hide the latency of short bodies.
        self.width = (
            (8 if nest.reductions else 4) if work <= 4 else 2 if work <= 12 else 1
        )
        other = crossing_loop(nest, loop)
        self.squares: Squares | None = None
        if other is not None:
            self.squares = Squares(nest, loop, other, emitter, self.point)
            # As many vectors as fill a line of the cache: it is written at once.
            self.width = max(1, LINE_BITS // vector_bits)
        self.outer = [
            d
            for d, parallel in enumerate(nest.parallel)
            if parallel and d not in (loop, other)
        ]
        self.inner = self._innermost() if other is None else None
        if self.inner is not None:
            self.outer.remove(self.inner)
        size = nest.sizes[loop]
        self.may_repeat = (
            vector_bits < LINE_BITS
            and (bool(self.outer) or other is not None)
            and can_repeat(nest)
        )
        if work > 12 and self._is_plain():
            self.lanes *= registers_at_once(-(-size // self.lanes))
        self.may_repeat &= size >= self.lanes
        self.whole = size // (self.lanes * self.width)
        self.rest = size - self.whole * self.lanes * self.width

    def _work_of(self, op: StructuredOp) -> int:
        """Scalar operations of a body; where it picks elements, without those that are
        the same for all lanes."""
        if not picks_elements(op):
            return body_work(op)
        values = self.varying[op]
        return max(1, sum(isinstance(value.owner, Operation) for value in values))

    def _innermost(self) -> int | None:
        """The loop that runs within each tile, because much of what is computed to pick
        elements is the same for all of its iterations; None for most nests."""
        nest = self.nest
        if nest.reductions or not picks_elements(nest.anchor):
            return None
        lanewise = set(self.varying[nest.anchor])
        shared = {
            d: len(lanewise.difference(varying_values(nest, nest.anchor, d)))
            for d in self.outer
            if nest.sizes[d] >= FEWEST_SHARING
        }
        best = max(shared, key=lambda d: shared[d], default=None)
        return best if best is not None and shared[best] >= LEAST_SHARED else None

    def _is_plain(self) -> bool:
        """Whether all is read in vectors or once for all lanes, and nothing summed up."""
        return not (
            self.nest.reductions
            or any(o.stride(self.loop) not in (0, 1) for o in self.nest.operands)
            or any(map(picks_elements, self.nest.bodies))
        )

    @property
    def work(self) -> int:
        """Scalar operations of all loops."""
        return self.nest.work

    def emit(self) -> None:
        """Emit the loops."""
        self.nest.view(self.emitter)
        self.outer_loops(self.outer, self.split_loop())

    def split_loop(self) -> int | None:
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
        work = self.work // prod(nest.sizes[d] for d in around)
        count = self.whole if loop == self.loop else nest.sizes[loop]
        return grain_of(count, work, self.threads)

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
            grain = self._grain(first) or 1
            self.emitter.parallel([size], grain, lambda indices: body(indices[0]))
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
        emitter, parts = self.emitter, self.parts(start, size)
        active = parts[-1].body.active
        if active and self.may_repeat:
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

        self.squares.emit(parts, row, self.may_repeat)

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
        block = self._block()
        if block is None:
            return self._loops(loops, parts, carried, zero, end)
        zeros = [self.emitter.number(0.0, value.type) for value in carried]

        def inner(loops: Sequence[int], lower: SSAValue, upper: SSAValue) -> Values:
            return self._loops(loops, parts, zeros, lower, upper)

        set_index = self.point.__setitem__
        long_sum = LongSum(self.emitter, loops, sizes, set_index, inner, block)
        return long_sum.emit(carried)

    def _block(self) -> int | None:
        """Terms of a block of a long sum; None where the sums need no blocks."""
        sizes = [self.nest.sizes[d] for d in self.nest.reductions]
        needed = accumulates_in_float(self.nest.anchor) and is_long(sizes)
        return BLOCK if needed else None

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
