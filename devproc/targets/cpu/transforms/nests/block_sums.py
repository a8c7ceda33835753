"""Long sums in blocks, and sums of small tiles in several accumulators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.nests.nest_emitter import Values

MOST_STREAMS = 4
"""Most terms that a tile adds at a time."""

Terms: TypeAlias = Callable[[SSAValue, int, Values], Values]
"""Adds a number of terms, from an index on, to the carried sums."""

Term: TypeAlias = Callable[[SSAValue, Values], Values]
"""Adds the term at an index to the carried sums."""


def block_size(size: int, most: int) -> int:
    """The terms of a block: at most `most`, with all blocks equal if possible.

    Equal blocks are one loop, around which LLVM spills the outer sums; with a block and
    a remainder it would keep them in registers that the inner sums need.
    """
    least = -(-size // -(-size // most))
    even = (n for n in range(least, most // 2 - 1, -1) if size % n == 0)
    return next(even, least)


def sum_in_blocks(
    emitter: Emitter, size: int, carried: Values, terms: Terms, block: int
) -> Values:
    """The float sums of `size` terms, block by block if there are many."""
    zero = emitter.index(0)
    if size <= block:
        return terms(zero, size, carried)
    zeros = [emitter.number(0, value.type) for value in carried]
    block = block_size(size, block)
    rest = size % block

    def part(lower: SSAValue, count: int, values: Values) -> Values:
        pairs = zip(values, terms(lower, count, zeros), strict=True)
        return [emitter.value(arith.AddfOp, pair) for pair in pairs]

    whole = emitter.index(size - rest)
    carried = emitter.loop(
        zero, whole, block, carried, lambda lower, values: part(lower, block, values)
    )
    return part(whole, rest, carried) if rest else carried


class BlockSums:
    """The sums of a tile over some loops, in blocks of at most `block` terms where they
    are longer and floats.

    `sizes`, `point`: the iterations and the index of each loop of the nest.
    """

    def __init__(
        self,
        emitter: Emitter,
        sizes: Sequence[int],
        point: list[SSAValue],
        block: int | None,
    ):
        self.emitter, self.sizes = emitter, sizes
        self.point, self.block = point, block

    def innermost(
        self, loop: int, lower: SSAValue, count: int, carried: Values
    ) -> Values:
        """The sums after some terms along the innermost loop."""
        raise NotImplementedError

    def sum(self, loops: Sequence[int], carried: Values) -> Values:
        """The sums over some loops; splits the outermost one of which a block has
        several iterations."""
        sizes = [self.sizes[d] for d in loops]
        inside, block = prod(sizes[1:]), self.block or prod(sizes)
        is_float = Lanewise(self.emitter, carried[0].type).is_float
        is_here = is_float and inside <= block < inside * sizes[0]
        block = block // inside if is_here else sizes[0]

        def terms(lower: SSAValue, count: int, values: Values) -> Values:
            return self._between(loops, lower, count, values)

        return sum_in_blocks(self.emitter, sizes[0], carried, terms, block)

    def _between(
        self, loops: Sequence[int], lower: SSAValue, count: int, carried: Values
    ) -> Values:
        """The sums over `count` iterations of the first loop and all of the others."""
        first, *rest = loops
        if not rest:
            return self.innermost(first, lower, count, carried)

        def body(index: SSAValue, values: Values) -> Values:
            self.point[first] = index
            return self.sum(rest, values)

        upper = self.emitter.offset(lower, count)
        return self.emitter.loop(lower, upper, 1, carried, body)


def streams_of(accumulators: int, sums: int, terms: int) -> int:
    """How many of `terms` terms a tile with `sums` adds at a time, to have this many
    accumulators."""
    streams = max(1, min(MOST_STREAMS, accumulators // sums))
    return 1 if terms < 2 * streams else streams


def sum_in_streams(
    emitter: Emitter,
    lower: SSAValue,
    count: int,
    carried: Values,
    term: Term,
    streams: int,
) -> Values:
    """The sums of `count` terms, `streams` at a time, each with separate
    accumulators."""
    width = len(carried)
    zeros = [emitter.number(0, value.type) for value in carried] * (streams - 1)

    def step(index: SSAValue, values: Values) -> Values:
        made: list[SSAValue] = []
        for stream in range(streams):
            mine = values[stream * width : (stream + 1) * width]
            made += term(emitter.offset(index, stream), mine)
        return made

    whole = emitter.offset(lower, count // streams * streams)
    done = emitter.loop(lower, whole, streams, [*carried, *zeros], step)
    total: Values = done[:width]
    for stream in range(1, streams):
        total = _added(emitter, total, done[stream * width : (stream + 1) * width])
    if count % streams == 0:
        return total
    return emitter.loop(whole, emitter.offset(lower, count), 1, total, term)


def _added(emitter: Emitter, a: Values, b: Values) -> Values:
    op = arith.AddfOp if Lanewise(emitter, a[0].type).is_float else arith.AddiOp
    return [emitter.value(op, pair) for pair in zip(a, b, strict=True)]
