"""Emits an inverted bottleneck line by line.

The normal form is in `ir/program/structured.py`. A few lines of the expanded image, with their
border, lie in a ring: line y at y modulo their number. Before a line of the result is
made, the lines that its windows reach and that are not there yet are expanded; then the
windows of one line, and their projection. How an element is computed does not depend on
where a thread begins, so a thread may begin anywhere; it expands again what lies before.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import MemRefType, f32
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms.padding.expand import fill_line
from devproc.dialects import plan
from devproc.dialects.dev import TargetAttr
from devproc.ir.text.location import describe_location
from devproc.ir.types import AnyMemRef
from devproc.transforms.buffers.memory import INSIDE
from devproc.transforms.cpu.anchors import emit_line
from devproc.transforms.cpu.groups import match_group
from devproc.transforms.cpu.loops.access import linear_form
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import StructuredOp, grain_of, is_parallel
from devproc.transforms.cpu.loops.vector_types import memref_of
from devproc.transforms.cpu.nests.loop_space import Operand
from devproc.transforms.cpu.nests.nest import Nest

IMAGE, LINE = 0, 1
"""Loops of each of the three ops that stand still while a line is made."""

LEAST_LINES = 4
"""Lines of the result that a thread makes at least: the first of them expands more."""


class BottleneckLoops:
    """The state of one bottleneck being emitted."""

    def __init__(
        self, ops: Sequence[StructuredOp], emitter: Emitter, target: TargetAttr
    ):
        self.emitter, self.target = emitter, target
        anchors = [i for i, op in enumerate(ops) if not all(is_parallel(op))]
        nests = [match_group(ops, position) for position in anchors]
        self.nests = self.expansion, self.depthwise, self.projection = nests
        self.expanded = self.depthwise.inputs[0]
        self.borders = [
            op
            for op in ops
            if isinstance(op, FillOp)
            and INSIDE in op.attributes
            and op.outputs[0] is self.expanded.origin
        ]
        self.ops = [*self.borders, *(op for nest in nests for op in nest.ops)]
        self.images, self.height = self.depthwise.sizes[:2]
        self.width = self.depthwise.sizes[2]
        self.taps = self.depthwise.sizes[4]
        _, *line = memref_of(self.expanded.origin).get_shape()
        self.padded, self.padded_width, self.channels = line
        self.stride = (linear_form(self.expanded.map.results[LINE]) or {})[LINE]
        written = self.expansion.results[0].map
        _, self.top, self.left, _ = written.eval([0] * written.num_dims, [])
        self.inner = self.expansion.sizes[LINE], self.expansion.sizes[LINE + 1]

    def emit(self) -> None:
        """Emit the loops over lines; parts of an image on threads where that pays."""
        threads = self.target.threads.data
        work = sum(nest.work for nest in self.nests)
        parts = min(-(-threads // self.images), max(1, self.height // LEAST_LINES))
        count = -(-self.height // parts)
        sizes = [n for n in (self.images, -(-self.height // count)) if n > 1]
        if grain_of(prod(sizes), 2 * work, threads) is None:
            self._reserve()
            self.emitter.loop_to(
                self.images,
                lambda image: self._part(
                    image, self.emitter.index(0), self.emitter.index(self.height)
                ),
            )
            return

        def part(indices: Sequence[SSAValue]) -> None:
            self._reserve()
            found, zero = iter(indices), self.emitter.index(0)
            image = next(found) if self.images > 1 else zero
            start = self.emitter.mul(next(found, zero), self.emitter.index(count))
            end = self.emitter.offset(start, count)
            end = self.emitter.minimum(end, self.emitter.index(self.height))
            self._part(image, start, end)

        self.emitter.parallel(sizes, 1, part)

    # Memory.

    def _reserve(self) -> None:
        """The ring and a line of windows, on the stack, in the place of whole images."""
        emitter = self.emitter
        width, channels = self.padded_width, self.channels
        self.ring = emitter.stack(self.taps, width, channels)
        self.windows = emitter.stack(self.width, channels)
        space = memref_of(self.ring).memory_space
        count = self.taps * self._line_size
        flat: AnyMemRef = MemRefType(f32, (count,), memory_space=space)
        self.flat = emitter.append(plan.ViewOp(self.ring, flat)).results[0]
        for operand in (self.expansion.results[0], self.expanded):
            _, line, *pixel = operand.map.results
            lines = AffineConstantExpr(self.taps)
            slot = AffineBinaryOpExpr(AffineBinaryOpKind.Mod, line, lines)
            _redirect(operand, self.ring, (slot, *pixel))
        for operand in (self.depthwise.results[0], self.projection.inputs[0]):
            _redirect(operand, self.windows, operand.map.results[2:])
        for nest in self.nests:
            # The accumulators stay in registers; what they belong to is no memory.
            result, sums = nest.results[0], nest.outputs[0].origin
            for operand in nest.operands:
                if operand.origin is sums:
                    _redirect(operand, result.value, result.map.results)
            nest.pinned |= {IMAGE, LINE}
            nest.simplify()

    def _fill(self, start: SSAValue, size: int) -> None:
        """A part of the ring with the number that the border consists of."""
        value = self.borders[0].inputs[0]
        lanes = self.target.vector_bits.data // 32
        fill_line(self.emitter, value, self.flat, start, size, lanes)

    @property
    def _line_size(self) -> int:
        """Numbers of a line of the ring."""
        return self.padded_width * self.channels

    def _start_of(self, slot: SSAValue) -> SSAValue:
        return self.emitter.mul(slot, self.emitter.index(self._line_size))

    # Lines.

    def _part(self, image: SSAValue, start: SSAValue, end: SSAValue) -> None:
        """Lines of one image, from a first one up to a last one."""
        emitter = self.emitter
        stride = emitter.index(self.stride)
        if self.borders:
            emitter.loop_to(self.taps, self._fill_sides)

        def make(line: SSAValue, done: Sequence[SSAValue]) -> Sequence[SSAValue]:
            needed = emitter.offset(emitter.mul(line, stride), self.taps)
            emitter.loop_between(
                done[0], needed, lambda line: self._expand(image, line)
            )
            self._emit_line(self.depthwise, image, line)
            self._emit_line(self.projection, image, line)
            return [needed]

        emitter.loop(start, end, 1, [emitter.mul(start, stride)], make)

    def _fill_sides(self, slot: SSAValue) -> None:
        """The border before and behind a line, which stays."""
        start = self._start_of(slot)
        behind = self.left + self.inner[1]
        for first, end in ((0, self.left), (behind, self.padded_width)):
            if first < end:
                offset = self.emitter.offset(start, first * self.channels)
                self._fill(offset, (end - first) * self.channels)

    def _expand(self, image: SSAValue, line: SSAValue) -> None:
        """One line of the expanded image, counted with its border."""
        emitter = self.emitter
        inside = emitter.sub(line, emitter.index(self.top))

        def border() -> None:
            slot = emitter.mod(line, self.taps)
            self._fill(self._start_of(slot), self._line_size)

        if self.inner[0] == self.padded:
            self._emit_line(self.expansion, image, inside)
            return
        # A line before the image counts from below zero: it is no small number.
        emitter.branch_below(
            inside,
            self.inner[0],
            lambda: self._emit_line(self.expansion, image, inside),
            border,
        )

    def _emit_line(self, nest: Nest, image: SSAValue, line: SSAValue) -> None:
        """One line of one of the three ops."""
        still = {nest.loops[IMAGE]: image, nest.loops[LINE]: line}
        if not emit_line(nest, self.emitter, self.target, still):
            raise PassFailedException(
                "schedule-bottleneck: there are no vectors along the channels of the"
                f" loops at {describe_location(nest.anchor.location)}; keep the three"
                " products kernels of their own"
            )


def _redirect(operand: Operand, value: SSAValue, indices: Sequence[AffineExpr]) -> None:
    """Let an operand lie in other memory; `origin` stays what the op names."""
    operand.value, operand.shape = value, memref_of(value).get_shape()
    operand.map = AffineMap(operand.map.num_dims, 0, tuple(indices))
