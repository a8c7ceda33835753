"""Emits a convolution of few channels by Winograd's algorithm along its lines.

For a block of lines: every line of the image is transformed, in vectors with a tile per
lane; then for each panel of output channels and each line of the result, every point is
a matrix product of tiles and terms with the filters' transforms, and the products are
transformed back into pixels, to which the epilogue is applied in registers.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import WinogradLineSchedule
from devproc.ir.layouts.winograd import LINE_TILE, input_matrix, output_matrix
from devproc.targets.cpu.algorithms.register_tile.roles import outer_product
from devproc.targets.cpu.algorithms.winograd_line.lines import C, H, K, Lines, N, W
from devproc.targets.cpu.transforms.loops.access import physical_view, view_as
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit
from devproc.targets.cpu.transforms.loops.transpose import transpose_lanes
from devproc.targets.cpu.transforms.loops.vector_types import memref_of, vector_type
from devproc.targets.cpu.transforms.nests.nest_emitter import Part, PartEmitter, Values
from devproc.targets.cpu.transforms.nests.transform_lines import transform_line
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


def expand(
    lines: Lines, schedule: WinogradLineSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the loops of a convolution."""
    emitter.location = lines.nest.anchor.location
    WinogradLines(lines, schedule, emitter, target).emit()


class WinogradLines(PartEmitter):
    """The state of one convolution being emitted."""

    def __init__(
        self,
        lines: Lines,
        schedule: WinogradLineSchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        nest = lines.nest
        super().__init__(nest, K, emitter, lines.lanes(target))
        self.lines, self.grain, self.block = lines, schedule.grain, schedule.lines
        self.stride, self.width = lines.stride, lines.width
        self.taps, self.points = lines.taps, lines.points
        self.depth, self.tiles, self.terms = lines.depth, lines.tiles, lines.terms
        self.step = LINE_TILE * self.stride
        """Pixels of the image from a tile to the next, and tiles in a square."""
        self.image = nest.inputs[0].value
        filters = physical_view(emitter, nest.inputs[1].value)
        shape = (lines.panels, self.points, self.terms, self.width)
        self.filters = view_as(emitter, filters, shape)
        self.offsets = range(0, self.width, self.lanes)
        split = RowSplit.of(self.tiles, schedule.rows)
        assert split is not None
        self.split = split

    def emit(self) -> None:
        """Emit the loops over images and blocks of lines."""
        sizes = self.nest.sizes
        blocks = -(-sizes[H] // self.block)
        self.emitter.for_each(
            [sizes[N], blocks], self.grain, lambda at: self._block(at[0], at[1])
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
        self.transformed, self.products = (
            emitter.stack(*shape) for shape in self.lines.scratch(self.block)
        )
        zero, stride = emitter.index(0), emitter.index(self.stride)
        end = emitter.offset(emitter.mul(count, stride), self.lines.shared)
        emitter.loop_between(
            zero,
            end,
            lambda line: emitter.loop_to(
                sizes[C], lambda channel: self._transform(line, channel)
            ),
        )

        def panel(number: SSAValue) -> None:
            emitter.loop_between(zero, count, lambda line: self._line(number, line))

        emitter.loop_to(self.lines.panels, panel)

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
        # Pixels past the end of a line are not needed and must not be read.
        behind = memref_of(self.image).get_shape()[-1] - self.tiles * self.step
        whole = min(self.step, behind)
        self._transform_tiles(line, place, emitter.index(last), whole)

    def _transform_tiles(
        self, line: SSAValue, place: Values, tile: SSAValue, count: int
    ) -> None:
        """A square of tiles, after which `count` more pixels are needed and exist."""
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
        # Vector i holds pixel i of all tiles.
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
