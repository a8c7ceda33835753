"""The reduction loops of a tile; a callback emits the terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.long_sums import Adder, LongSum
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import Values


@dataclass
class SumLoops:
    """Emits the reduction loops of a nest.

    `term`: from the accumulators before an iteration, at `point`, to those after it.
    `adder`: adds the sums of blocks (`LongSum`).
    """

    emitter: Emitter
    nest: Nest
    point: list[SSAValue]
    term: Callable[[Values], Values]
    adder: Adder | None = None

    def emit(self, carried: Values, block: int | None = None) -> Values:
        """All iterations; float sums in blocks of `block` terms, unless that is
        None."""
        emitter, loops = self.emitter, self.nest.reductions
        sizes = [self.nest.sizes[d] for d in loops]
        if block is None:
            zero, end = emitter.index(0), emitter.index(sizes[-1])
            return self._loops(loops, carried, zero, end)
        zeros = [emitter.number(0.0, value.type) for value in carried]

        def inner(loops: Sequence[int], lower: SSAValue, upper: SSAValue) -> Values:
            return self._loops(loops, zeros, lower, upper)

        set_index = self.point.__setitem__
        long_sum = LongSum(emitter, loops, sizes, set_index, inner, block, self.adder)
        return long_sum.emit(carried)

    def _loops(
        self, loops: Sequence[int], carried: Values, lower: SSAValue, upper: SSAValue
    ) -> Values:
        """Some of the loops; the innermost one runs between bounds."""
        if not loops:
            return self.term(carried)
        first, *rest = loops
        emitter = self.emitter

        def body(index: SSAValue, values: Values) -> Values:
            self.point[first] = index
            return self._loops(rest, values, lower, upper)

        if rest:
            zero, end = emitter.index(0), emitter.index(self.nest.sizes[first])
            return emitter.loop(zero, end, 1, carried, body)
        return emitter.loop(lower, upper, 1, carried, body)
