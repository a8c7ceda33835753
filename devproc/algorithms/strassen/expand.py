"""Emits a matrix product by Strassen's algorithm.

For a block of rows and a group of panels, a slice of the summed dimension at a time, the
seven products one after the other: the sum of blocks of the left matrix goes to scratch,
register tiles multiply it with the sum of the right one, which lies in memory
(`#dev.strassen`), and add what they made to the blocks of the result that take the
product. So little is live at a time that a core's cache holds it. In the end the rows
take the epilogue. Where the blocks of rows begin decides how results are rounded, so it
never depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms.register_tile.roles import outer_product
from devproc.dialects.dev import LayoutAttr, StrassenAttr, TargetAttr
from devproc.ir.layouts.strassen import (
    BLOCKS,
    LEFT,
    PRODUCTS,
    RESULT,
    SIDE,
    slice_depths,
)
from devproc.transforms.cpu.loops.access import apply_map, physical_view, stored_as
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import grain_of
from devproc.transforms.cpu.loops.prefetch import PanelStream, Prefetch
from devproc.transforms.cpu.nests.linear_loops import LinearLoops
from devproc.transforms.cpu.nests.nest import Nest
from devproc.transforms.cpu.nests.nest_emitter import (
    Part,
    Values,
)
from devproc.transforms.cpu.nests.tile_shapes import RowBlocks, RowSplit, tile_rows
from devproc.transforms.cpu.nests.transform_lines import weighted_sum
from devproc.transforms.cpu.nests.vectorize_body import VectorBody

BLOCK_ROWS = 104
"""Rows of a block of the left matrix at most, in a block of rows: the more there are, the
more work is done for each part of the weight that comes from memory."""

SCRATCH_BYTES = 768 * 1024
"""Memory for a sum of blocks and for the results of a group of panels: less than an L2,
since the weight flows through it too."""


def strassen_of(nest: Nest) -> StrassenAttr | None:
    """The layout of a weight that is stored as sums of blocks; else None."""
    if len(nest.inputs) != 2 or not nest.inputs[1].is_memref:
        return None
    return stored_as(nest.inputs[1].value, StrassenAttr)


@dataclass(frozen=True)
class Step:
    """One product of blocks, for one slice, in a block of rows and a group of panels.

    `row` and `panel` are the first ones, `slice` counts through the summed dimension.
    """

    row: SSAValue
    panel: SSAValue
    slice: SSAValue
    product: int
    is_first_slice: bool

    def begins(self, block: int) -> bool:
        """Whether nothing was added before to this block of the result."""
        return self.is_first_slice and not any(RESULT[block][: self.product])


class StrassenLoops(LinearLoops):
    """The state of one matrix product being emitted."""

    def __init__(self, nest: Nest, emitter: Emitter, target: TargetAttr):
        layout = strassen_of(nest)
        assert layout is not None
        super().__init__(nest, emitter, target)
        self.width = layout.width.data
        self.blocks = RowBlocks.of(self.rows, SIDE, BLOCK_ROWS)
        self.panels = self.columns // (SIDE * self.width)
        self.half_depth = self.depth // SIDE
        vectors = self.width // self.wide
        most_rows = tile_rows(vectors, target)
        self.split = RowSplit.balanced(self.blocks.height, most_rows, vectors)
        self.offsets = [emitter.index(v) for v in range(0, self.width, self.wide)]
        self.slice = self._terms_of_slice()
        self.slices = self.half_depth // self.slice
        self.group = self._panels_of_group()

    def _terms_of_slice(self) -> int:
        """Terms that are summed up at a time: as many as one accumulator takes."""
        sizes = slice_depths(self.half_depth, self.wide)
        if not sizes:
            raise PassFailedException(
                f"no slice of {self.half_depth} terms in whole vectors of {self.wide} suits"
                f" Strassen's algorithm; give the weight a layout {LayoutAttr.name}"
            )
        return sizes[-1]

    def _panels_of_group(self) -> int:
        """Panels for which the sums of a block of rows are made: many, if all threads
        have work, and no more than the cache holds results of.
        """
        rest = SCRATCH_BYTES - 4 * self.blocks.height * self.slice
        one = 4 * len(BLOCKS) * self.blocks.height * self.width
        sizes = [
            size
            for size in range(1, self.panels + 1)
            if self.panels % size == 0
            and size * one <= rest
            and self.blocks.count * self.panels // size >= self.threads
        ]
        return max(sizes, default=1)

    def emit(self) -> None:
        """Emit the loops over groups of panels and, inside, blocks of rows."""
        emitter = self.emitter
        self.nest.view(emitter)
        self.left = self.nest.inputs[0]
        self.right = physical_view(emitter, self.nest.inputs[1].value)
        chunks = self.panels * PRODUCTS * self.slices
        self.stream = PanelStream(
            self.right, chunks, self.slice * self.width, self.slice
        )
        groups, blocks = self.panels // self.group, self.blocks.count
        is_split = grain_of(groups * blocks, 2 * self.nest.work, self.threads)
        emitter.for_each(
            [groups, blocks], is_split and 1, lambda at: self._block(at[0], at[1])
        )

    def _block(self, group: SSAValue, block: SSAValue) -> None:
        """The rows of one block, for the panels of one group."""
        emitter, height = self.emitter, self.blocks.height
        self.sums = emitter.stack(height, self.slice)
        self.total = emitter.stack(self.group, SIDE, SIDE, height, self.width)
        row = emitter.mul(block, emitter.index(SIDE * height))
        panel = emitter.mul(group, emitter.index(self.group))

        def slice_(number: SSAValue, is_first: bool) -> None:
            for product in range(PRODUCTS):
                step = Step(row, panel, number, product, is_first)
                used = {b: w for b, w in enumerate(LEFT[product]) if w}
                if len(used) > 1:
                    self._sum(step, used)
                self._multiply(step, None if len(used) > 1 else next(iter(used)))

        emitter.loop_range(0, 1, lambda number: slice_(number, True))
        emitter.loop_range(1, self.slices, lambda number: slice_(number, False))
        emitter.for_each(
            [self.group, SIDE, SIDE],
            None,
            lambda at: self._finish_block(row, emitter.add(panel, at[0]), at),
        )

    # The left matrix.

    def _place(self, step: Step, block: int, row: SSAValue, k: SSAValue) -> Values:
        """The indices of an element of a block, in a slice."""
        emitter = self.emitter
        part, column = BLOCKS[block]
        row = emitter.offset(emitter.add(step.row, row), part * self.blocks.height)
        if self.rows % (SIDE * self.blocks.height):
            # A row behind the end is any other one: nothing is stored for it.
            row = emitter.minimum(row, emitter.index(self.rows - 1))
        self.stand_at(row)
        term = emitter.add(emitter.mul(step.slice, emitter.index(self.slice)), k)
        self.stand_at_term(emitter.offset(term, column * self.half_depth))
        return apply_map(emitter, self.left.map, self.point)

    def _sum(self, step: Step, weights: dict[int, float]) -> None:
        """The sum of blocks for one product."""
        emitter = self.emitter

        def row(number: SSAValue) -> None:
            def terms(k: SSAValue) -> None:
                values = [
                    emitter.load_vector(
                        self.left.value, self._place(step, block, number, k), self.wide
                    )
                    for block in weights
                ]
                total = weighted_sum(self.lanewise, list(weights.values()), values)
                assert total is not None
                emitter.store_vector(total, self.sums, (number, k))

            end = emitter.index(self.slice)
            emitter.loop_between(emitter.index(0), end, terms, self.wide)

        emitter.loop_to(self.blocks.height, row)

    # The products.

    def _multiply(self, step: Step, block: int | None) -> None:
        """One product, for the panels of a group, by register tiles.

        `block`: where the left factor is that block and not a sum.
        """
        emitter, split = self.emitter, self.split

        def left(row: SSAValue, k: SSAValue) -> SSAValue:
            if block is None:
                return emitter.load(self.sums, (row, k))
            return emitter.load(self.left.value, self._place(step, block, row, k))

        def tile(index: SSAValue, number: SSAValue, is_short: bool) -> None:
            rows = emitter.rows_of(split, number, is_short)
            following = self._following(step, index)
            ahead = self.stream.ahead(emitter, following, number, split.count)
            sums = self._tile(step, index, rows, left, ahead)
            self._add(step, index, rows, sums)

        def panel(index: SSAValue) -> None:
            emitter.loop_range(0, split.tall, lambda n: tile(index, n, False))
            emitter.loop_range(split.tall, split.count, lambda n: tile(index, n, True))

        emitter.loop_to(self.group, panel)

    def _tile(
        self,
        step: Step,
        index: SSAValue,
        rows: Values,
        left: Callable[[SSAValue, SSAValue], SSAValue],
        ahead: Prefetch,
    ) -> Values:
        """The sums of one register tile, for one slice."""
        emitter, lanes = self.emitter, self.wide
        panel, product = emitter.add(step.panel, index), emitter.index(step.product)
        base = emitter.mul(step.slice, emitter.index(self.slice))

        def term(k: SSAValue, sums: Values) -> Values:
            at = (panel, product, emitter.add(base, k))
            vectors = [
                emitter.load_vector(self.right, (*at, offset), lanes)
                for offset in self.offsets
            ]
            ahead.emit(emitter, k)
            return outer_product(emitter, (left(row, k) for row in rows), vectors, sums)

        zeros = [self.lanewise.number(0.0)] * (len(rows) * len(self.offsets))
        return emitter.loop(emitter.index(0), emitter.index(self.slice), 1, zeros, term)

    def _add(
        self, step: Step, index: SSAValue, rows: Values, sums: Sequence[SSAValue]
    ) -> None:
        """Add the sums of a tile to the blocks of the result that take the product."""
        emitter = self.emitter
        for block, (part, column) in enumerate(BLOCKS):
            weight = RESULT[block][step.product]
            if not weight:
                continue
            corner = (index, emitter.index(part), emitter.index(column))
            places = [(*corner, row, at) for row in rows for at in self.offsets]
            for place, value in zip(places, sums, strict=True):
                if not step.begins(block):
                    before = emitter.load_vector(self.total, place, self.wide)
                    add = self.lanewise.add if weight > 0 else self.lanewise.sub
                    value = add(before, value)
                emitter.store_vector(value, self.total, place)

    def _following(self, step: Step, index: SSAValue) -> SSAValue:
        """The chunk of the weight that lies before the one that is read next."""
        emitter, group = self.emitter, self.group
        count = emitter.offset(index, step.product * group + 1)
        # Behind the last product comes the next slice, or the first of the next group.
        number = emitter.add(step.slice, emitter.div(count, PRODUCTS * group))
        panel = emitter.add(step.panel, emitter.mod(count, group))
        moved = emitter.mul(emitter.div(number, self.slices), emitter.index(group))
        panel = emitter.mul(emitter.add(panel, moved), emitter.index(PRODUCTS))
        product = emitter.mod(emitter.div(count, group), PRODUCTS)
        chunk = emitter.mul(emitter.add(panel, product), emitter.index(self.slices))
        return emitter.offset(emitter.add(chunk, emitter.mod(number, self.slices)), -1)

    # The result.

    def _finish_block(self, first: SSAValue, panel: SSAValue, corner: Values) -> None:
        """The epilogue and the stores of the rows that exist, of one block and panel."""
        emitter, lanes, height = self.emitter, self.lanes, self.blocks.height
        _, part, column = corner
        first = emitter.add(first, emitter.mul(part, emitter.index(height)))
        size = self.nest.sizes[self.loop] // SIDE
        start = emitter.add(
            emitter.mul(panel, emitter.index(self.width)),
            emitter.mul(column, emitter.index(size)),
        )

        def row(number: SSAValue) -> None:
            self.stand_at(emitter.add(first, number))
            for offset in range(0, self.width, lanes):
                vector = VectorBody(emitter, lanes)
                place = Part(emitter.offset(start, offset), vector)
                at = (*corner, number, emitter.index(offset))
                value = emitter.load_vector(self.total, at, lanes)
                (before,) = self.start(place)
                assert before is not None
                self.finish(place, [self.lanewise.add(vector.widen(before), value)])

        end = emitter.index(height)
        if self.rows % (SIDE * height):
            rows = emitter.index(self.rows)
            left = emitter.sub(rows, emitter.minimum(first, rows))
            end = emitter.minimum(left, end)
        emitter.loop_between(emitter.index(0), end, row)
