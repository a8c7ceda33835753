"""The loops over pixels: an op for each channel, then their results interleaved."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import ChannelsSchedule
from devproc.targets.cpu.algorithms.channels.match import Pixels
from devproc.targets.cpu.algorithms.vectors.loops import TileLoops, point_of
from devproc.targets.cpu.algorithms.vectors.tile import VectorTile
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import Part, PartEmitter
from devproc.targets.cpu.transforms.nests.vectorize_body import lanes_along


def expand(
    pixels: Pixels, schedule: ChannelsSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the loops over the pixels."""
    ops = [part.emit() for part in pixels.parts]
    nests = [_nest_of(op, ops) for op in ops]
    for nest in nests:
        nest.view(emitter)
    first, loop = nests[0], len(nests[0].sizes) - 1
    point = point_of(first, emitter, {})
    TileLoops(
        emitter,
        first.sizes,
        loop,
        schedule.lanes,
        range(loop),
        schedule.split,
        schedule.grain,
        point,
    ).emit(PixelTile(nests, schedule, emitter, point).emit)
    for op in reversed(ops):
        op.erase()


def _nest_of(channel: GenericOp, ops: Sequence[Operation]) -> Nest:
    """The loops of one channel, simplified."""
    nest = Nest(channel)
    # An operand that only defines the size of a loop is never read.
    nest.operands = [o for o in nest.operands if o.origin.owner not in ops]
    nest.simplify()
    return nest


class ChannelBody(PartEmitter):
    """Emits the body of one channel; its inputs are read for all channels at once."""

    def __init__(
        self, nest: Nest, loop: int, emitter: Emitter, lanes: int, channels: int
    ):
        super().__init__(nest, loop, emitter, lanes)
        self.channels = channels
        self.pixels: dict[tuple[SSAValue, AffineMap], SSAValue] = {}
        """The whole vectors that this tile has loaded so far, shared by its
        channels."""

    def load(self, operand: Operand, part: Part) -> SSAValue:
        """A vector, or a scalar if the pixels do not index the operand."""
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


class PixelTile(VectorTile):
    """Emits a vector of pixels with all of its channels."""

    def __init__(
        self,
        nests: Sequence[Nest],
        schedule: ChannelsSchedule,
        emitter: Emitter,
        point: list[SSAValue],
    ):
        loop = len(nests[0].sizes) - 1
        super().__init__(
            nests[0],
            loop,
            emitter,
            lanes=schedule.lanes,
            point=point,
            repeats=schedule.ragged == "repeat",
        )
        self.channels = [
            ChannelBody(nest, loop, emitter, schedule.lanes, len(nests))
            for nest in nests
        ]
        for channel in self.channels:
            channel.point = point

    def emit_parts(self, parts: Sequence[Part]) -> None:
        """One vector at the current point of the other loops."""
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
