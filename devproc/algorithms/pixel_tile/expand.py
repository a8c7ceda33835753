"""Windows over each channel as register tiles: a few pixels of a line by a few vectors.

Nothing is summed over channels, so a tap is a multiply-add of whole vectors; the filters
of a tap are loaded once for all pixels of a tile.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from devproc.algorithms.register_tile.roles import factors_of, multiply_add
from devproc.algorithms.vectors.transposed_reads import crossing_loop
from devproc.algorithms.vectors.vector_nest import VectorNest
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.nests.nest import Nest
from devproc.transforms.cpu.nests.nest_emitter import Part, Values
from devproc.transforms.cpu.nests.tile_shapes import RowSplit

ACCUMULATORS = 8
"""Sums of a tile: they hide the latency of a multiply-add."""

VECTORS = 2
"""Vectors of a tile at most: of the same sums, more pixels share a filter."""


def pixel_loop(nest: Nest, column: int) -> int | None:
    """The loop along a line of pixels, which all take the same filters; None where the
    nest is no window over each channel."""
    factors = factors_of(nest)
    rows = [d for d, p in enumerate(nest.parallel) if p and d != column]
    if factors is None or not rows or not nest.reductions:
        return None
    if crossing_loop(nest, column) is not None:
        return None
    image, filters = (factor.operand for factor in factors)
    if (image.stride(column), filters.stride(column)) != (1, 1):
        return None
    is_line = image.stride(rows[-1]) and filters.stride(rows[-1]) == 0
    return rows[-1] if is_line else None


class WindowTiles(VectorNest):
    """Emits one nest along its channels, in tiles of the loop `pixels`."""

    def __init__(
        self,
        nest: Nest,
        loop: int,
        pixels: int,
        emitter: Emitter,
        vector_bits: int,
        threads: int,
    ):
        super().__init__(nest, loop, emitter, vector_bits, threads)
        factors = factors_of(nest)
        assert factors is not None
        self.factors = factors
        self.pixels = pixels
        self.outer.remove(pixels)
        self.width = min(VECTORS, -(-nest.sizes[loop] // self.lanes))
        self.whole, self.rest = divmod(nest.sizes[loop], self.lanes * self.width)
        self.split = RowSplit.balanced(
            nest.sizes[pixels], ACCUMULATORS // self.width, self.width
        )
        self.tile: Sequence[SSAValue] = ()

    def vectors(self, split: bool) -> None:
        def tile(pixels: list[SSAValue]) -> None:
            self.tile = pixels
            super(WindowTiles, self).vectors(split)

        self.emitter.tiles(self.split, tile)

    def _tile(self, parts: Sequence[Part]) -> None:
        start: list[SSAValue] = []
        for pixel in self.tile:
            self.point[self.pixels] = pixel
            for part in parts:
                (value,) = self.start(part)
                assert value is not None
                start.append(part.body.widen(value))
        sums = iter(self._reduce(parts, start))
        for pixel in self.tile:
            self.point[self.pixels] = pixel
            for part in parts:
                self.finish(part, [next(sums)])

    def _accumulate(self, parts: Sequence[Part], carried: Values) -> Values:
        image, filters = self.factors
        right = [
            filters.convert(self.load(filters.operand, part), part.body)
            for part in parts
        ]
        done: list[SSAValue] = []
        for pixel in self.tile:
            self.point[self.pixels] = pixel
            for part, tap in zip(parts, right, strict=True):
                left = image.convert(self.load(image.operand, part), part.body)
                done.append(multiply_add(self.emitter, left, tap, carried[len(done)]))
        return done
