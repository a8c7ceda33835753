"""Results whose innermost loop is short: the channels of a pixel, the corners of a box.

Vectors run along the loop around that one, so that a lane is a pixel. Each channel is an
op of its own, for which all that its body chooses by the channel is decided
(`loop_part.py`); what they make is shuffled together and stored as whole vectors. Inputs
with the same channels are read whole and picked apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import i1
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.algorithms.vectors.vector_nest import VectorNest
from devproc.transforms.schedules.loop_part import part_of_loops
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import StructuredOp, is_parallel
from devproc.transforms.cpu.loops.vector_types import memref_of
from devproc.transforms.cpu.nests.loop_space import Operand
from devproc.transforms.cpu.nests.nest import Nest
from devproc.transforms.cpu.nests.nest_emitter import (
    NestEmitter,
    Part,
    can_vectorize_nest,
    vector_loop,
)
from devproc.transforms.cpu.nests.vectorize_body import MAX_STRIDE, lanes_along

FEWEST_PIXELS = 8
"""Iterations of the loop around below which vectors along it would be mostly empty."""


def channels_of(op: StructuredOp) -> int | None:
    """How many channels are interleaved; None where the innermost loop is a vector's."""
    if not isinstance(op, GenericOp) or not all(is_parallel(op)):
        return None
    if any(argument.uses for argument in op.body.block.args[len(op.inputs) :]):
        return None
    nest = Nest(op)
    nest.simplify()
    loop = vector_loop(nest)
    if not loop or loop != nest.loops[-1] or nest.sizes[loop - 1] < FEWEST_PIXELS:
        return None
    count = op.get_static_loop_ranges()[-1]
    if nest.sizes[loop] != count or not 0 < count <= MAX_STRIDE:
        return None
    return count if all(_has_pixels(r, loop - 1, count) for r in nest.results) else None


def _has_pixels(result: Operand, around: int, count: int) -> bool:
    """Whether the channels of a pixel, and the next pixel's, are neighbours in memory."""
    return (
        result.shape[-1] == count == result.stride(around)
        and memref_of(result.value).element_type != i1
    )


class Interleaved:
    """One op as an op for each of its channels.

    `nests` is empty where vectors along the pixels do not work.
    """

    def __init__(self, op: StructuredOp):
        self.nests: list[Nest] = []
        self.ops: list[Operation] = []
        channels = channels_of(op)
        if channels is None:
            return
        sizes = cast(GenericOp, op).get_static_loop_ranges()
        box = {loop: (0, size) for loop, size in enumerate(sizes)}
        for channel in range(channels):
            box[len(sizes) - 1] = (channel, channel + 1)
            self.ops += part_of_loops(cast(GenericOp, op), box)
        nests = [Nest(part) for part in self.ops if isinstance(part, GenericOp)]
        for nest in nests:
            # What only gives a loop its size is never read.
            nest.operands = [
                operand
                for operand in nest.operands
                if operand.origin.owner not in self.ops
            ]
            nest.simplify()
        self.loop = len(nests[0].sizes) - 1
        if all(
            nest.sizes == nests[0].sizes
            and all(result.stride(self.loop) == channels for result in nest.results)
            and can_vectorize_nest(nest, self.loop)
            for nest in nests
        ):
            self.nests = nests

    def erase(self) -> None:
        """Forget the ops of the channels."""
        for part in reversed(self.ops):
            part.erase()


def interleave(
    op: StructuredOp, emitter: Emitter, vector_bits: int, threads: int
) -> bool:
    """Emit vectors along the pixels of an op's result; False where it has none."""
    found = Interleaved(op)
    if found.nests:
        InterleavedNest(found.nests, found.loop, emitter, vector_bits, threads).emit()
    found.erase()
    return bool(found.nests)


def can_interleave(op: StructuredOp) -> bool:
    """Whether `interleave` takes an op."""
    found = Interleaved(op)
    found.erase()
    return bool(found.nests)


class Channel(NestEmitter):
    """Emits the body of one channel; its inputs are read for all channels at once."""

    def __init__(
        self, nest: Nest, loop: int, emitter: Emitter, vector_bits: int, channels: int
    ):
        super().__init__(nest, loop, emitter, vector_bits, threads=1)
        self.channels = channels
        self.pixels: dict[tuple[SSAValue, AffineMap], SSAValue] = {}
        """What the channels of this tile have read so far, whole."""

    def load(self, operand: Operand, part: Part) -> SSAValue:
        """A vector, or a scalar where the operand does not move along the pixels."""
        stride, results = operand.stride(self.loop) or 0, operand.map.results
        if (
            abs(stride) != self.channels
            or operand.shape[-1] != self.channels
            or results[-1].used_dims()
        ):
            return super().load(operand, part)
        emitter, body, count = self.emitter, part.body, operand.map.num_dims
        key = (operand.value, AffineMap(count, 0, results[:-1]))
        if key not in self.pixels:
            indices = [*self.indices(operand, part)[:-1], emitter.index(0)]
            self.pixels[key] = body.times(self.channels).load(operand.value, indices)
        channel = results[-1].eval([0] * count, [])
        lanes = lanes_along(stride, self.lanes, body.active)
        mask = [channel + lane for lane in lanes]
        return emitter.shuffle(self.pixels[key], self.pixels[key], mask)


class InterleavedNest(VectorNest):
    """Emits the loops over the pixels, all channels at each."""

    def __init__(
        self,
        nests: Sequence[Nest],
        loop: int,
        emitter: Emitter,
        vector_bits: int,
        threads: int,
    ):
        super().__init__(nests[0], loop, emitter, vector_bits, threads)
        self.channels = [
            Channel(nest, loop, emitter, vector_bits, len(nests)) for nest in nests
        ]
        self.lanes = min(channel.lanes for channel in self.channels)
        for channel in self.channels:
            channel.lanes, channel.point = self.lanes, self.point
        self.squares, self.width, self.outer = None, 1, list(range(loop))
        size = nests[0].sizes[loop]
        self.whole = size // self.lanes
        self.rest = size - self.whole * self.lanes

    def emit(self) -> None:
        """Emit the loops."""
        for channel in self.channels:
            channel.nest.view(self.emitter)
        super().emit()

    def _tile(self, parts: Sequence[Part]) -> None:
        (part,) = parts
        pixels: dict[tuple[SSAValue, AffineMap], SSAValue] = {}
        made: list[list[SSAValue]] = []
        for channel in self.channels:
            channel.pixels = pixels
            values = channel.body(part, channel.start(part))
            made.append([part.body.widen(value) for value in values])
        body = part.body.times(len(self.channels))
        for result, channels in zip(
            self.nest.results, zip(*made, strict=True), strict=True
        ):
            body.store(self._mixed(channels), result.value, self.indices(result, part))

    def _mixed(self, channels: Sequence[SSAValue]) -> SSAValue:
        """The channels of the first pixel, then those of the next."""
        lanes, count = self.lanes, len(channels)
        joined = channels[0]
        for number, channel in enumerate(channels[1:-1], 2):
            joined = self.emitter.shuffle(joined, channel, range(number * lanes))
        mask = [c * lanes + lane for lane in range(lanes) for c in range(count)]
        return self.emitter.shuffle(joined, channels[-1], mask)
