"""Emits a 3x3 convolution by Winograd's algorithm.

For a block of tiles: every tile of the image is transformed, each of the (m + 2)^2
points is a matrix product of tiles and channels with the filters' transforms (see
`filters.py`), and the products are transformed back into m x m pixels, to which the
epilogue is applied in registers. The scratch buffers of a block stay in cache. If m
does not divide the image, the last tiles overlap their neighbours and store only new
pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import WinogradSchedule
from devproc.ir.layouts.winograd import input_matrix, output_matrix
from devproc.targets.cpu.algorithms.register_tile.roles import outer_product
from devproc.targets.cpu.algorithms.winograd.convolution import (
    C,
    Convolution,
    H,
    K,
    N,
    W,
)
from devproc.targets.cpu.algorithms.winograd.filters import PointsOf, WinogradFilters
from devproc.targets.cpu.transforms.loops.emitter import Emitter, LoopBody
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise, compare, select
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit
from devproc.targets.cpu.transforms.loops.vector_types import vector_type
from devproc.targets.cpu.transforms.nests.nest_emitter import Part, PartEmitter, Values
from devproc.targets.cpu.transforms.nests.transform_lines import transform_square
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


def expand(
    convolution: Convolution,
    schedule: WinogradSchedule,
    emitter: Emitter,
    target: TargetAttr,
) -> None:
    """Emit the loops of a convolution."""
    emitter.location = convolution.nest.anchor.location
    WinogradLoops(convolution, schedule, emitter, target).emit()


class WinogradLoops(PartEmitter):
    """The state of one convolution being emitted."""

    def __init__(
        self,
        convolution: Convolution,
        schedule: WinogradSchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        nest = convolution.nest
        super().__init__(nest, K, emitter, convolution.lanes(target))
        self.convolution, self.schedule = convolution, schedule
        self.size, self.width = convolution.size, convolution.width
        self.points = convolution.points
        self.lines, self.columns = convolution.lines, convolution.columns
        self.grid, self.block = convolution.grid(schedule), schedule.block
        self.tiles = self.grid.count
        self.lanewise = Lanewise(emitter, vector_type(f32, self.lanes))
        split = RowSplit.of(self.block, schedule.rows)
        assert split is not None
        self.split = split
        self.are_few = schedule.filters == "registers"
        self.image, weight = (operand.value for operand in nest.inputs)
        self.filters = WinogradFilters(
            emitter, self.lanewise, weight, schedule, self.lanes
        )

    def emit(self) -> None:
        """Emit the loops over blocks and groups of panels."""
        sizes = [self.grid.blocks, self.schedule.groups]
        self.emitter.for_each(
            sizes, self.schedule.grain, lambda at: self._block(at[0], at[1])
        )

    def _block(self, block: SSAValue, group: SSAValue) -> None:
        """The tiles of one block, for the panels of one group."""
        emitter, filters = self.emitter, self.filters
        shapes = self.convolution.scratch(self.schedule, self.lanes)
        scratch = [emitter.stack(*shape) for shape in shapes]
        self.transformed, self.products, self.square, *rest = scratch
        if rest:
            filters.keep_in(rest[0])
        first = emitter.mul(block, emitter.index(self.block))
        emitter.loop_to(self.block, lambda t: self._transform(first, t))
        each = self.convolution.panels // self.schedule.groups
        start = emitter.mul(group, emitter.index(each))

        def panel(index: SSAValue) -> None:
            number = emitter.add(start, index)

            multiply = self._multiply_few if self.are_few else self._multiply

            def part(index: SSAValue) -> None:
                emitter.loop_to(self.points, lambda line: multiply(number, index, line))

            emitter.loop_to(self.points**2, self._clear)
            emitter.loop_to(filters.parts, part)
            emitter.loop_to(
                self.block, lambda t: self._transform_back(number, first, t)
            )

        emitter.loop_to(each, panel)

    # The three steps.

    def _transform(self, first: SSAValue, index: SSAValue) -> None:
        """B^T d B of one tile, for all channels."""
        emitter, count = self.emitter, self.points
        tile = emitter.add(first, index)
        if self.tiles % self.block:
            tile = emitter.minimum(tile, emitter.index(self.tiles - 1))
        image, line, column = self.grid.place(emitter, tile)
        top = self.lines.first_pixel(emitter, line)
        left = self.columns.first_pixel(emitter, column)
        rows = [emitter.offset(top, line) for line in range(count)]

        def channels(channel: SSAValue) -> None:
            part = emitter.div(channel, self.filters.depth)
            inside = emitter.mod(channel, self.filters.depth)

            def load(column: SSAValue) -> Values:
                pixel = emitter.add(left, column)
                places = [(image, row, pixel, channel) for row in rows]
                return [
                    emitter.load_vector(self.image, at, self.lanes) for at in places
                ]

            def store(line: SSAValue, values: Values) -> None:
                point = emitter.mul(line, emitter.index(count))
                for number, value in enumerate(values):
                    where = (part, emitter.offset(point, number), index, inside)
                    emitter.store_vector(value, self.transformed, where)

            transform_square(
                self.lanewise, input_matrix(self.size), self.square, load, store
            )

        end = emitter.index(self.nest.sizes[C])
        emitter.loop_between(emitter.index(0), end, channels, self.lanes)

    def _multiply(self, panel: SSAValue, part: SSAValue, line: SSAValue) -> None:
        """Add the products of some channels to those of a line of points."""
        emitter, filters = self.emitter, self.filters
        filters.transform(panel, part, line)
        first = emitter.mul(line, emitter.index(self.points))

        def multiply(column: SSAValue) -> None:
            point = emitter.add(first, column)
            ahead = filters.ahead(panel, part, point, self.points**2, 1)
            ahead.emit(emitter, emitter.index(0))
            self._needing(
                line, column, lambda rows: self._tile(part, point, column, rows)
            )

        emitter.loop_to(self.points, multiply)

    def _needing(
        self,
        line: SSAValue,
        column: SSAValue,
        tile: Callable[[list[SSAValue]], None],
    ) -> None:
        """Emit `tile` for the rows of each register tile that a point needs."""
        emitter, height = self.emitter, self.split.height
        if not self.grid.by_need or self.split.short:
            emitter.tiles(self.split, tile)
            return
        zero = emitter.index(0)
        is_first = [compare(emitter, "eq", at, zero) for at in (line, column)]

        def chosen(number: Callable[[range], int]) -> SSAValue:
            sides = [
                [
                    emitter.index(number(self._whole_tiles(first_line, first_column)))
                    for first_column in (True, False)
                ]
                for first_line in (True, False)
            ]
            lines = [select(emitter, is_first[1], *side) for side in sides]
            return select(emitter, is_first[0], *lines)

        emitter.loop_between(
            chosen(lambda rows: rows.start),
            chosen(lambda rows: rows.stop),
            lambda row: tile([emitter.offset(row, n) for n in range(height)]),
            height,
        )

    def _whole_tiles(self, first_line: bool, first_column: bool) -> range:
        """The rows that a point needs, extended to whole register tiles."""
        rows, height = self.grid.needing(first_line, first_column), self.split.height
        size = -(-len(rows) // height) * height
        start = min(rows.start, self.block - size)
        return range(start, start + size)

    def _tile(
        self, part: SSAValue, point: SSAValue, column: SSAValue, rows: Values
    ) -> None:
        emitter, filters = self.emitter, self.filters

        def term(k: SSAValue, sums: Values) -> Values:
            places = ((part, point, row, k) for row in rows)
            left = (emitter.load(self.transformed, place) for place in places)
            return outer_product(emitter, left, filters.load(column, k), sums)

        places = [(point, row, at) for row in rows for at in filters.offsets]
        self._sum_up(places, term)

    def _multiply_few(self, panel: SSAValue, part: SSAValue, line: SSAValue) -> None:
        """`_multiply` for few tiles, where storing the filters' transforms would take
        as long as multiplying them: they stay in registers."""
        emitter = self.emitter

        def multiply(points_of: PointsOf, is_outer: bool) -> None:
            def of_line(is_first: bool) -> None:
                self._multiply_line(panel, part, line, points_of, is_first)

            if is_outer and self.lines.late:
                emitter.branch_below(
                    line, 1, lambda: of_line(True), lambda: of_line(False)
                )
            else:
                of_line(False)

        self.filters.on_line(panel, part, line, multiply)

    def _multiply_line(
        self,
        panel: SSAValue,
        part: SSAValue,
        line: SSAValue,
        points_of: PointsOf,
        is_first: bool,
    ) -> None:
        """The products of a few tiles on a line of points, vector by vector."""
        emitter, filters, count = self.emitter, self.filters, self.points
        vectors = self.width // self.lanes
        first = emitter.mul(line, emitter.index(count))
        points = [emitter.offset(first, column) for column in range(count)]
        rows = [
            [emitter.index(row) for row in self.grid.needing(is_first, column == 0)]
            for column in range(count)
        ]
        number = emitter.mul(line, emitter.index(vectors))

        def multiply(offset: SSAValue) -> None:
            piece = emitter.add(number, emitter.div(offset, self.lanes))
            ahead = filters.ahead(panel, part, piece, count * vectors, filters.depth)

            def term(k: SSAValue, sums: Values) -> Values:
                ahead.emit(emitter, k)
                done: list[SSAValue] = []
                for column, factor in enumerate(points_of(k, offset)):
                    places = ((part, points[column], row, k) for row in rows[column])
                    left = (emitter.load(self.transformed, at) for at in places)
                    done += outer_product(emitter, left, [factor], sums[len(done) :])
                return done

            places = [
                (point, row, offset)
                for point, needing in zip(points, rows, strict=True)
                for row in needing
            ]
            self._sum_up(places, term)

        end = emitter.index(self.width)
        emitter.loop_between(emitter.index(0), end, multiply, self.lanes)

    def _sum_up(self, places: Sequence[Values], term: LoopBody) -> None:
        """Add the terms of the channels of a part to the products at these indices."""
        emitter, end = self.emitter, self.emitter.index(self.filters.depth)
        zeros = [self.lanewise.number(0.0)] * len(places)
        sums = emitter.loop(emitter.index(0), end, 1, zeros, term)
        for place, more in zip(places, sums, strict=True):
            known = emitter.load_vector(self.products, place, self.lanes)
            total = self.lanewise.add(known, more)
            emitter.store_vector(total, self.products, place)

    def _clear(self, point: SSAValue) -> None:
        """Set the products of all tiles of the block at one point to zero."""
        emitter, zero = self.emitter, self.lanewise.number(0.0)

        def clear(row: SSAValue) -> None:
            for offset in self.filters.offsets:
                emitter.store_vector(zero, self.products, (point, row, offset))

        emitter.loop_to(self.block, clear)

    def _transform_back(
        self, panel: SSAValue, first: SSAValue, index: SSAValue
    ) -> None:
        """A^T m A of one tile, then the epilogue and the stores of its pixels."""
        emitter = self.emitter
        tile = emitter.add(first, index)
        self.point[N], line, column = self.grid.place(emitter, tile)
        top = self.lines.first_pixel(emitter, line)
        left = self.columns.first_pixel(emitter, column)
        old_lines = self.lines.old_pixels(emitter, line)
        old_pixels = self.columns.old_pixels(emitter, column)

        def vectors(offset: SSAValue) -> None:
            start = emitter.add(emitter.mul(panel, emitter.index(self.width)), offset)
            part = Part(start, VectorBody(emitter, self.lanes))

            def finish(pixel: int, value: SSAValue) -> None:
                self.point[W] = emitter.offset(left, pixel)
                self.finish(part, [value])

            def store(line: SSAValue, values: Values) -> None:
                self.point[H] = emitter.add(top, line)
                for pixel, value in enumerate(values):
                    number, body = emitter.index(pixel), partial(finish, pixel, value)
                    self._when_new(number, old_pixels, body)

            transform_square(
                self.lanewise,
                output_matrix(self.size),
                self.square,
                lambda column: self._products_of(index, column, offset),
                lambda line, values: self._when_new(
                    line, old_lines, lambda: store(line, values)
                ),
            )

        def all_vectors() -> None:
            end = emitter.index(self.width)
            emitter.loop_between(emitter.index(0), end, vectors, self.lanes)

        if self.tiles % self.block:
            emitter.branch_below(tile, self.tiles, all_vectors, lambda: None)
        else:
            all_vectors()

    def _products_of(
        self, index: SSAValue, column: SSAValue, offset: SSAValue
    ) -> list[SSAValue]:
        """The products of a tile at one column of its points."""
        emitter = self.emitter
        lines = range(0, self.points**2, self.points)
        places = [(emitter.offset(column, line), index, offset) for line in lines]
        return [emitter.load_vector(self.products, at, self.lanes) for at in places]

    def _when_new(
        self, number: SSAValue, old: SSAValue, body: Callable[[], None]
    ) -> None:
        """Emit `body` if this line (or column) of a tile is not an overlapping one."""
        known = self.emitter.known
        # Even the last tile does not overlap its neighbour completely.
        if known.get(old) == 0 or known.get(number) == self.size - 1:
            body()
            return
        is_new = self.lanewise.compare("ule", old, number)
        self.emitter.when(is_new, body)
