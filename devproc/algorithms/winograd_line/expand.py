"""Emits a convolution of few channels by Winograd's algorithm along its lines.

With few channels, a transform of squares would cost more than its products save. Along a
line alone, m = 4 pixels take m + r - 1 products instead of m r, each with all lines and
channels as its terms. With a stride, the pixels that a filter's taps a stride apart meet
are a line of their own (a phase), and phases are like channels: the 7 taps of a ResNet's
first convolution, with a stride of 2, are 4 and 3 taps of two phases, and 14 products for
4 pixels instead of 28.

For a block of lines: every line of the image is transformed, tiles side by side in vectors;
then for each panel of output channels and each line of the result, every point is a product
of tiles and terms with the filters' transforms, and the products are transformed back into
pixels, which take the epilogue in registers.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from devproc.algorithms.register_tile.roles import outer_product
from devproc.dialects.dev import TargetAttr, WinogradLineAttr
from devproc.ir.layouts.winograd import (
    LINE_TILE,
    input_matrix,
    line_taps,
    output_matrix,
    points_of,
)
from devproc.transforms.cpu.loops.access import physical_view, stored_as, view_as
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import grain_of
from devproc.transforms.cpu.loops.lanewise import Lanewise
from devproc.transforms.cpu.loops.transpose import transpose_lanes
from devproc.transforms.cpu.loops.vector_types import memref_of, vector_type
from devproc.transforms.cpu.nests.nest import Nest
from devproc.transforms.cpu.nests.nest_emitter import NestEmitter, Part, Values
from devproc.transforms.cpu.nests.tile_shapes import RowSplit, tile_rows
from devproc.transforms.cpu.nests.transform_lines import transform_line
from devproc.transforms.cpu.nests.vectorize_body import VectorBody

N, H, W, K, P, Q, C = range(7)

BLOCK_BYTES = 192 * 1024
"""Memory of a block's transformed lines: a second-level cache holds it beside filters and
products. Neighbouring blocks transform a few lines both."""


def winograd_line_of(nest: Nest) -> WinogradLineAttr | None:
    """The layout of filters that are stored as the transforms of their lines; else None."""
    if len(nest.inputs) != 2 or not nest.inputs[1].is_memref:
        return None
    return stored_as(nest.inputs[1].value, WinogradLineAttr)


class WinogradLines(NestEmitter):
    """The state of one convolution being emitted; its loops are (n, h, w, o, p, q, c)."""

    def __init__(self, nest: Nest, emitter: Emitter, target: TargetAttr):
        vector_bits, threads = target.vector_bits.data, target.threads.data
        super().__init__(nest, K, emitter, vector_bits, threads)
        layout = winograd_line_of(nest)
        assert layout is not None
        self.stride, self.width = layout.stride.data, layout.width.data
        sizes = nest.sizes
        self.taps = line_taps(sizes[Q], self.stride)
        self.points = points_of(LINE_TILE, self.taps)
        self.depth = sizes[C] * self.stride
        self.tiles = sizes[W] // LINE_TILE
        self.step = LINE_TILE * self.stride
        """Pixels of the image from a tile to the next, and tiles that are turned over."""
        self.image = nest.inputs[0].value
        self.terms = sizes[P] * self.depth
        """Products that make up a number at one point."""
        filters = physical_view(emitter, nest.inputs[1].value)
        panels = sizes[K] // self.width
        shape = (panels, self.points, self.terms, self.width)
        self.filters = view_as(emitter, filters, shape)
        self.offsets = range(0, self.width, self.lanes)
        vectors = len(self.offsets)
        self.split = RowSplit.balanced(self.tiles, tile_rows(vectors, target), vectors)

    def emit(self) -> None:
        """Emit the loops over images and blocks of lines."""
        nest = self.nest
        images, lines = nest.sizes[N], nest.sizes[H]
        one = 4 * self.points * self.depth * self.tiles
        shared = nest.sizes[P] - self.stride
        most = max(1, (BLOCK_BYTES // one - shared) // self.stride)
        blocks = -(-lines // most)
        grain = grain_of(images * blocks, nest.work // 2, self.threads)
        if grain is not None:
            while images * blocks % self.threads and blocks < lines:
                blocks += 1
        self.block = -(-lines // blocks)
        blocks = -(-lines // self.block)
        self.emitter.for_each(
            [images, blocks], grain and 1, lambda at: self._block(at[0], at[1])
        )

    def _block(self, image: SSAValue, block: SSAValue) -> None:
        """Some lines of one image."""
        emitter, sizes = self.emitter, self.nest.sizes
        first = emitter.mul(block, emitter.index(self.block))
        count = emitter.index(self.block)
        if sizes[H] % self.block:
            left = emitter.sub(emitter.index(sizes[H]), first)
            count = emitter.minimum(count, left)
        self.point[N], self.first = image, first
        lines = (self.block - 1) * self.stride + sizes[P]
        self.transformed = emitter.stack(self.points, lines * self.depth, self.tiles)
        # An odd number of rows: points then lie in different sets of the caches.
        self.products = emitter.stack(self.points, self.tiles | 1, self.width)
        zero, stride = emitter.index(0), emitter.index(self.stride)
        end = emitter.offset(emitter.mul(count, stride), sizes[P] - self.stride)
        emitter.loop_between(
            zero,
            end,
            lambda line: emitter.loop_to(
                sizes[C], lambda channel: self._transform(line, channel)
            ),
        )

        def panel(number: SSAValue) -> None:
            emitter.loop_between(zero, count, lambda line: self._line(number, line))

        emitter.loop_to(sizes[K] // self.width, panel)

    # The three steps.

    def _transform(self, line: SSAValue, channel: SSAValue) -> None:
        """B^T d of all tiles of one line and channel, in squares of them."""
        emitter, last = self.emitter, self.tiles - self.step
        start = emitter.mul(self.first, emitter.index(self.stride))
        place = (self.point[N], channel, emitter.add(start, line))
        emitter.loop_between(
            emitter.index(0),
            emitter.index(last),
            lambda tile: self._transform_tiles(line, place, tile, self.step),
            self.step,
        )
        # What lies behind the end of a line meets no tap, but may not be read.
        behind = memref_of(self.image).get_shape()[-1] - self.tiles * self.step
        whole = min(self.step, behind)
        self._transform_tiles(line, place, emitter.index(last), whole)

    def _transform_tiles(
        self, line: SSAValue, place: Values, tile: SSAValue, count: int
    ) -> None:
        """A square of tiles, behind which `count` pixels are needed and there."""
        emitter, step = self.emitter, self.step
        (*_, channel, _), lanewise = place, Lanewise(emitter, vector_type(f32, step))
        pixel = emitter.mul(tile, emitter.index(step))
        body = VectorBody(emitter, step)
        behind = VectorBody(emitter, step, count % step)
        rows = [
            (behind if row == step else body).load(
                self.image, (*place, emitter.offset(pixel, row * step))
            )
            for row in range(step + 1)
        ]
        # Vector i holds pixel i of all the tiles.
        pixels = [
            *transpose_lanes(emitter, rows[:-1]),
            *transpose_lanes(emitter, rows[1:]),
        ]
        matrix = input_matrix(LINE_TILE, self.taps)
        first = emitter.add(
            emitter.mul(line, emitter.index(self.depth)),
            emitter.mul(channel, emitter.index(self.stride)),
        )
        for phase in range(self.stride):
            values = pixels[phase :: self.stride][: self.points]
            term = emitter.offset(first, phase)
            for point, value in enumerate(transform_line(lanewise, matrix, values)):
                where = (emitter.index(point), term, tile)
                emitter.store_vector(value, self.transformed, where)

    def _line(self, panel: SSAValue, line: SSAValue) -> None:
        """One line of a panel of the result."""
        emitter = self.emitter
        top = emitter.mul(line, emitter.index(self.stride * self.depth))
        emitter.loop_to(
            self.points,
            lambda point: emitter.tiles(
                self.split, lambda rows: self._multiply(panel, point, top, rows)
            ),
        )
        self.point[H] = emitter.add(self.first, line)
        emitter.loop_to(self.tiles, lambda tile: self._transform_back(panel, tile))

    def _multiply(
        self, panel: SSAValue, point: SSAValue, top: SSAValue, rows: Values
    ) -> None:
        """The products of some tiles at one point, with the terms from `top` on."""
        emitter = self.emitter
        places = [(row, offset) for row in rows for offset in self.offsets]

        def add(term: SSAValue, sums: Values) -> Values:
            here = emitter.add(top, term)
            left = (emitter.load(self.transformed, (point, here, row)) for row in rows)
            right = [
                emitter.load_vector(
                    self.filters,
                    (panel, point, term, emitter.index(offset)),
                    self.lanes,
                )
                for offset in self.offsets
            ]
            return outer_product(emitter, left, right, sums)

        zeros = [emitter.number(0.0, vector_type(f32, self.lanes))] * len(places)
        sums = emitter.loop(emitter.index(0), emitter.index(self.terms), 1, zeros, add)
        for (row, offset), total in zip(places, sums, strict=True):
            where = (point, row, emitter.index(offset))
            emitter.store_vector(total, self.products, where)

    def _transform_back(self, panel: SSAValue, tile: SSAValue) -> None:
        """A^T m of one tile, then the epilogue and the stores of its pixels."""
        emitter = self.emitter
        lanewise = Lanewise(emitter, vector_type(f32, self.lanes))
        matrix = output_matrix(LINE_TILE, self.taps)
        column = emitter.mul(panel, emitter.index(self.width))
        pixel = emitter.mul(tile, emitter.index(LINE_TILE))
        for offset in self.offsets:
            products = [
                emitter.load_vector(
                    self.products,
                    (emitter.index(point), tile, emitter.index(offset)),
                    self.lanes,
                )
                for point in range(self.points)
            ]
            body = VectorBody(emitter, self.lanes)
            part = Part(emitter.offset(column, offset), body)
            for number, value in enumerate(transform_line(lanewise, matrix, products)):
                self.point[W] = emitter.offset(pixel, number)
                self.finish(part, [value])
