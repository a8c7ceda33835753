"""Skips the panels of keys after the last one that is visible to a tile of queries.

The mask is read at run time, so it may be causal, hide the padding of a batch, or have
any other form. Skipping is exact: the scores of a skipped key are minus infinity, so
its value has weight zero. Zero times a value that is not finite is not zero, so for a
head with such a value no panel is skipped.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from devproc.targets.cpu.algorithms.attention.steps import StepEmitter
from devproc.targets.cpu.transforms.loops.combiners import reduce_lanes
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise, compare, select
from devproc.targets.cpu.transforms.loops.vector_types import INDEX, vector_type
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest_emitter import Values
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody

CHAINS = 4
"""Independent sums, which hide the latency of an addition."""


@dataclass(frozen=True)
class PanelSizes:
    """Keys in panels of `side` vectors; the last panel may not be full."""

    keys: int
    side: int
    panels: int

    def bodies(self, steps: StepEmitter, last: bool) -> list[VectorBody]:
        """The loaders of the vectors of a panel that contain any key."""
        lanes = steps.lanes
        count = self.side * lanes
        if last:
            count = self.keys - (self.panels - 1) * count
        sizes = (min(lanes, count - start) for start in range(0, count, lanes))
        return [
            VectorBody(steps.emitter, lanes, size if size < lanes else 0)
            for size in sizes
        ]


@dataclass
class VisibleKeys:
    """Finds the panels of keys that a tile needs."""

    steps: StepEmitter
    mask: Operand
    value: Operand
    width: int
    """Elements of a value."""
    sizes: PanelSizes

    def begin(self) -> None:
        """Begin a head: if any of its values is not finite, every panel is needed."""
        steps, emitter, lanes = self.steps, self.steps.emitter, self.steps.lanes
        lanewise = Lanewise(emitter, vector_type(f32, lanes))
        zero = lanewise.number(0.0)

        def key(t: SSAValue, sums: Values) -> Values:
            done = list(sums)
            for number, start in enumerate(range(0, self.width, lanes)):
                size = min(lanes, self.width - start)
                body = VectorBody(emitter, lanes, size if size < lanes else 0)
                point = [*steps.heads, emitter.index(0), emitter.index(start), t]
                value = steps.load(self.value, body, point, len(point) - 2)
                chain = number % CHAINS
                done[chain] = lanewise.fma(value, zero, done[chain])
            return done

        end = emitter.index(self.sizes.keys)
        sums = emitter.loop(emitter.index(0), end, 1, [zero] * CHAINS, key)
        total = sums[0]
        for other in sums[1:]:
            total = lanewise.add(total, other)
        total = reduce_lanes(emitter, "add", total)
        finite = compare(emitter, "oeq", total, emitter.number(0.0, f32))
        none, all_ = emitter.index(0), emitter.index(self.sizes.panels)
        self.least = select(emitter, finite, none, all_)

    def panels(self, rows: Values) -> SSAValue:
        """The number of panels up to the last one with a key visible to the tile."""
        steps, emitter = self.steps, self.steps.emitter
        lanes, sizes = steps.lanes, self.sizes
        numbers = vector_type(i32, lanes)
        one = emitter.lanes((1,), numbers)
        # A mask that is broadcast over the queries is read once.
        moving = len(steps.heads) in self.mask.map.used_dims()

        def panel(number: SSAValue, carried: Values, last: bool) -> Values:
            found, before = carried
            count = emitter.value(arith.AddiOp, (before, one))
            start = emitter.mul(number, emitter.index(sizes.side * lanes))
            for row in rows if moving else rows[:1]:
                for vector, body in enumerate(sizes.bodies(steps, last)):
                    column = emitter.offset(start, vector * lanes)
                    point = [*steps.heads, row, column]
                    seen = steps.load(self.mask, body, point, len(point) - 1)
                    found = select(emitter, seen, count, found)
            return [found, count]

        end = emitter.index(sizes.panels - 1)
        zero = emitter.lanes((0,), numbers)
        carried = emitter.loop(
            emitter.index(0), end, 1, [zero, zero], lambda p, c: panel(p, c, False)
        )
        found = reduce_lanes(emitter, "maxui", panel(end, carried, True)[0])
        count = emitter.value(arith.IndexCastOp, (found,), INDEX)
        return emitter.value(arith.MaxUIOp, (count, self.least))
