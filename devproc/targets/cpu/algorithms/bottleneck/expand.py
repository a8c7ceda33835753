"""Emits an inverted bottleneck line by line.

The normal form is in `ir/program/structured.py`. How an element is computed does not
depend on where a part begins, so a part may begin anywhere; it recomputes the expanded
lines before it that its first windows read.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType, f32
from xdsl.ir import SSAValue

from devproc.dialects import plan
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BottleneckSchedule
from devproc.ir.types import AnyMemRef
from devproc.targets.cpu.algorithms.bottleneck.lines import LineSchedule, expand_line
from devproc.targets.cpu.algorithms.bottleneck.nest import Bottleneck
from devproc.targets.cpu.algorithms.padding.expand import fill_line
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import memref_of
from devproc.targets.cpu.transforms.nests.nest import Nest


def expand(
    nest: Bottleneck,
    schedule: BottleneckSchedule,
    emitter: Emitter,
    target: TargetAttr,
) -> None:
    """Emit the loops of a bottleneck."""
    emitter.location = nest.ops[0].location
    BottleneckLoops(nest, schedule, emitter, target).emit()


class BottleneckLoops:
    """The state of one bottleneck being emitted."""

    def __init__(
        self,
        nest: Bottleneck,
        schedule: BottleneckSchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        self.nest, self.schedule = nest, schedule
        self.emitter, self.target = emitter, target

    def emit(self) -> None:
        """Emit the loops over parts of images, spread over threads, and over lines."""
        emitter, nest, parts = self.emitter, self.nest, self.schedule.parts
        if self.schedule.grain is None:
            self._reserve()
            emitter.loop_to(nest.images, self._image)
            return
        count = -(-nest.height // parts)
        sizes = [n for n in (nest.images, -(-nest.height // count)) if n > 1]

        def part(indices: Sequence[SSAValue]) -> None:
            self._reserve()
            found, zero = iter(indices), emitter.index(0)
            image = next(found) if nest.images > 1 else zero
            start = emitter.mul(next(found, zero), emitter.index(count))
            end = emitter.offset(start, count)
            self._part(image, start, emitter.minimum(end, emitter.index(nest.height)))

        emitter.parallel(sizes, self.schedule.grain, part)

    def _image(self, image: SSAValue) -> None:
        """All lines of an image."""
        end = self.emitter.index(self.nest.height)
        self._part(image, self.emitter.index(0), end)

    # Memory.

    def _reserve(self) -> None:
        """The ring and a line of windows, on the stack, instead of whole images."""
        emitter, nest = self.emitter, self.nest
        ring = emitter.stack(*nest.ring_shape)
        self.lines = nest.lines(ring, emitter.stack(*nest.scratch_shape))
        space = memref_of(ring).memory_space
        count = nest.taps * self._line_size
        flat: AnyMemRef = MemRefType(f32, (count,), memory_space=space)
        self.flat = emitter.append(plan.ViewOp(ring, flat)).results[0]

    def _fill(self, start: SSAValue, size: int) -> None:
        """Fill a part of the ring with the padding value."""
        value = self.nest.borders[0].inputs[0]
        lanes = machine_of(self.target).vector_bits.data // 32
        fill_line(self.emitter, value, self.flat, start, size, lanes)

    @property
    def _line_size(self) -> int:
        """Elements of a line of the ring."""
        return self.nest.padded_width * self.nest.channels

    def _start_of(self, slot: SSAValue) -> SSAValue:
        return self.emitter.mul(slot, self.emitter.index(self._line_size))

    # Lines.

    def _part(self, image: SSAValue, start: SSAValue, end: SSAValue) -> None:
        """A range of lines of one image."""
        emitter = self.emitter
        stride = emitter.index(self.nest.stride)
        if self.nest.borders:
            emitter.loop_to(self.nest.taps, self._fill_sides)

        def make(line: SSAValue, done: Sequence[SSAValue]) -> Sequence[SSAValue]:
            needed = emitter.offset(emitter.mul(line, stride), self.nest.taps)
            emitter.loop_between(
                done[0], needed, lambda line: self._expand(image, line)
            )
            place = (image, line)
            self._emit_line(self.lines.window, self.schedule.window, place)
            self._emit_line(self.lines.projection, self.schedule.projection, place)
            return [needed]

        emitter.loop(start, end, 1, [emitter.mul(start, stride)], make)

    def _fill_sides(self, slot: SSAValue) -> None:
        """Fill the padding to the left and right of the lines, once."""
        start = self._start_of(slot)
        after = self.nest.left + self.nest.inner[1]
        for first, end in ((0, self.nest.left), (after, self.nest.padded_width)):
            if first < end:
                offset = self.emitter.offset(start, first * self.nest.channels)
                self._fill(offset, (end - first) * self.nest.channels)

    def _expand(self, image: SSAValue, line: SSAValue) -> None:
        """One line of the expanded image, counted with its padding."""
        emitter, nest = self.emitter, self.nest
        inside = emitter.sub(line, emitter.index(nest.top))

        def border() -> None:
            slot = emitter.mod(line, nest.taps)
            self._fill(self._start_of(slot), self._line_size)

        def expand() -> None:
            schedule = self.schedule.expansion
            self._emit_line(self.lines.expansion, schedule, (image, inside))

        if nest.inner[0] == nest.padded:
            expand()
            return
        # A line before the image is negative: unsigned, it is larger than any bound.
        emitter.branch_below(inside, nest.inner[0], expand, border)

    def _emit_line(
        self, nest: Nest, schedule: LineSchedule, place: tuple[SSAValue, SSAValue]
    ) -> None:
        """One line of one of the three products."""
        expand_line(nest, schedule, self.emitter, self.target, place)
