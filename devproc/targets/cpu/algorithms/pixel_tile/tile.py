"""One tile of a window over each channel: some pixels of a line by vectors of
channels."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from devproc.dialects.sched import PixelTileSchedule
from devproc.targets.cpu.algorithms.pixel_tile.plan import ChannelWindow
from devproc.targets.cpu.algorithms.register_tile.roles import multiply_add
from devproc.targets.cpu.algorithms.vectors.tile import VectorTile
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.nest_emitter import Part, Values


class WindowTile(VectorTile):
    """Emits tiles of one nest along its channels, each of some pixels of a line."""

    def __init__(
        self,
        window: ChannelWindow,
        schedule: PixelTileSchedule,
        emitter: Emitter,
        lanes: int,
        point: list[SSAValue],
    ):
        super().__init__(
            window.nest,
            window.column,
            emitter,
            lanes=lanes,
            point=point,
            block=schedule.block,
        )
        self.factors, self.pixels = (window.image, window.filters), window.pixels
        self.at_pixels: Sequence[SSAValue] = ()

    def stand_at(self, pixel: SSAValue, count: int) -> None:
        """Begin a tile with its first pixel and its number of pixels."""
        self.at_pixels = [self.emitter.offset(pixel, n) for n in range(count)]

    def start_sums(self, parts: Sequence[Part]) -> Values:
        """The accumulators before the first tap, pixel by pixel."""
        start: list[SSAValue] = []
        for pixel in self.at_pixels:
            self.point[self.pixels] = pixel
            start += super().start_sums(parts)
        return start

    def finish_parts(self, parts: Sequence[Part], results: Values) -> None:
        """The epilogue and the stores, pixel by pixel."""
        count = len(parts)
        for number, pixel in enumerate(self.at_pixels):
            self.point[self.pixels] = pixel
            mine = results[number * count : (number + 1) * count]
            super().finish_parts(parts, mine)

    def accumulate(self, parts: Sequence[Part], carried: Values) -> Values:
        """The sums of every pixel after one more tap."""
        image, filters = self.factors
        right = [
            filters.convert(self.load(filters.operand, part), part.body)
            for part in parts
        ]
        done: list[SSAValue] = []
        for pixel in self.at_pixels:
            self.point[self.pixels] = pixel
            for part, tap in zip(parts, right, strict=True):
                left = image.convert(self.load(image.operand, part), part.body)
                done.append(multiply_add(self.emitter, left, tap, carried[len(done)]))
        return done
