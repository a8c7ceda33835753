"""Float sums of many terms: in short blocks, added with compensation.

The error of a single accumulator over n terms is about sqrt(n) roundings. Here each
block of a few dozen terms has a separate accumulator, and the rounding error of every
addition to the total is carried along (Knuth's two-sum), so the error hardly grows with
n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import compare, select

BLOCK = 64
"""Terms of one block; the two-sum of a block costs six operations."""

Values = Sequence[SSAValue]
InnerSum = Callable[[Sequence[int], SSAValue, SSAValue], Values]
"""Sums the inner loops from zero; the innermost one between two bounds."""


def is_long(sizes: Sequence[int]) -> bool:
    """Whether sums over loops of these sizes need blocks."""
    return prod(sizes) > 2 * BLOCK


class Adder(Protocol):
    """Adds the sums of blocks, as totals and their accumulated rounding errors."""

    def add(
        self, total: SSAValue, lost: SSAValue, term: SSAValue
    ) -> tuple[SSAValue, SSAValue]:
        """The total and the loss after one more block."""
        ...

    def join(self, total: SSAValue, lost: SSAValue) -> SSAValue:
        """The sum."""
        ...


@dataclass
class TwoSum:
    """Knuth's two-sum, of numbers or vectors."""

    emitter: Emitter

    def add(
        self, total: SSAValue, lost: SSAValue, term: SSAValue
    ) -> tuple[SSAValue, SSAValue]:
        """`total + term` exactly, as the rounded sum and its error."""
        emitter = self.emitter
        new = emitter.value(arith.AddfOp, (total, term))
        taken = emitter.value(arith.SubfOp, (new, total))
        kept = emitter.value(arith.SubfOp, (new, taken))
        rest = emitter.value(arith.SubfOp, (term, taken))
        error = emitter.value(arith.SubfOp, (total, kept))
        error = emitter.value(arith.AddfOp, (error, rest))
        return new, emitter.value(arith.AddfOp, (lost, error))

    def join(self, total: SSAValue, lost: SSAValue) -> SSAValue:
        """The sum; an infinite total has no meaningful loss."""
        emitter = self.emitter
        joined = emitter.value(arith.AddfOp, (total, lost))
        meaningless = compare(emitter, "uno", lost, lost)
        return select(emitter, meaningless, total, joined)


class LongSum:
    """Sums over some loops, block by block.

    `set_index(loop, index)` sets the index of a loop for the body; `inner(loops, lower,
    upper)` emits the sum over `loops`, the innermost one between bounds, from zero.
    `block`: most terms of a block. `adder`: adds a block to a total, and a total to its
    rounding error.
    """

    def __init__(
        self,
        emitter: Emitter,
        loops: Sequence[int],
        sizes: Sequence[int],
        set_index: Callable[[int, SSAValue], None],
        inner: InnerSum,
        block: int = BLOCK,
        adder: Adder | None = None,
    ):
        self.block, self.adder = block, adder or TwoSum(emitter)
        self.emitter, self.set_index, self.inner = emitter, set_index, inner
        self.loops, self.sizes = loops, sizes
        # The inner loops that together are one block; the innermost may need splitting.
        self.outer = next(
            (p for p in range(len(loops)) if prod(sizes[p:]) <= block), len(loops) - 1
        )

    def emit(self, start: Values) -> Values:
        """The sums, each with its initial value."""
        emitter, count = self.emitter, len(start)
        zeros = [emitter.number(0.0, value.type) for value in start]
        done = self._outer(0, [*start, *zeros])
        return [
            self.adder.join(total, lost)
            for total, lost in zip(done[:count], done[count:], strict=True)
        ]

    def _outer(self, depth: int, carried: Values) -> Values:
        if depth == self.outer:
            return self._blocks(carried)
        emitter = self.emitter

        def body(index: SSAValue, values: Values) -> Values:
            self.set_index(self.loops[depth], index)
            return self._outer(depth + 1, values)

        zero, end = emitter.index(0), emitter.index(self.sizes[depth])
        return emitter.loop(zero, end, 1, carried, body)

    def _blocks(self, carried: Values) -> Values:
        """One block if the inner loops are short, else blocks of the innermost."""
        emitter, size = self.emitter, self.sizes[-1]
        rest = self.loops[self.outer :]

        def block(lower: SSAValue, upper: SSAValue, values: Values) -> Values:
            return self._add(values, self.inner(rest, lower, upper))

        zero, end = emitter.index(0), emitter.index(size)
        if len(rest) > 1 or size <= self.block:
            return block(zero, end, carried)
        step = self.block
        whole = emitter.index(size // step * step)
        carried = emitter.loop(
            zero,
            whole,
            step,
            carried,
            lambda lower, values: block(lower, emitter.offset(lower, step), values),
        )
        return block(whole, end, carried) if size % step else carried

    def _add(self, carried: Values, terms: Values) -> Values:
        """The totals and losses after one more block."""
        count = len(terms)
        columns = (carried[:count], carried[count:], terms)
        done = [self.adder.add(*column) for column in zip(*columns, strict=True)]
        return [*(total for total, _ in done), *(lost for _, lost in done)]
