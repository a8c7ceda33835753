"""Emits a matrix product by Strassen's algorithm.

For a block of rows, a group of panels and a slice of the reduction dimension, the seven
products are computed in turn: the sum of blocks of the left matrix is stored to
scratch; register tiles multiply it with the precomputed sum of blocks of the weight
(`#dev.strassen`) and add the product to the blocks of the result that use it. The
working set fits a core's cache. Finally the epilogue is applied to the rows. The first
rows of blocks affect rounding, so they never depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import StrassenSchedule
from devproc.ir.layouts.strassen import (
    BLOCKS,
    LEFT,
    PRODUCTS,
    RESULT,
    SIDE,
)
from devproc.targets.cpu.algorithms.register_tile.roles import outer_product
from devproc.targets.cpu.algorithms.strassen.plan import scratch
from devproc.targets.cpu.transforms.loops.access import apply_map, physical_view
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit
from devproc.targets.cpu.transforms.nests.linear_loops import LinearLoops, Product
from devproc.targets.cpu.transforms.nests.nest_emitter import (
    Part,
    Values,
)
from devproc.targets.cpu.transforms.nests.prefetch import PanelStream, Prefetch
from devproc.targets.cpu.transforms.nests.transform_lines import weighted_sum
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


@dataclass(frozen=True)
class Step:
    """One product of blocks, for one slice, in a block of rows and a group of panels.

    `row` and `panel` are the first ones, `slice` is an index in the reduction
    dimension.
    """

    row: SSAValue
    panel: SSAValue
    slice: SSAValue
    product: int
    is_first_slice: bool

    def begins(self, block: int) -> bool:
        """Whether this is the first product added to this block of the result."""
        return self.is_first_slice and not any(RESULT[block][: self.product])


def expand(
    product: Product, schedule: StrassenSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the loops of a product."""
    emitter.location = product.nest.anchor.location
    StrassenLoops(product, schedule, emitter, target).emit()


class StrassenLoops(LinearLoops):
    """The state of one matrix product being emitted."""

    def __init__(
        self,
        product: Product,
        schedule: StrassenSchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        super().__init__(product, emitter, target)
        self.schedule = schedule
        self.width, self.height = schedule.weight.width.data, schedule.block
        self.slice, self.group = schedule.slice, schedule.group
        self.half_depth = self.depth // SIDE
        self.slices = self.half_depth // self.slice
        split = RowSplit.of(self.height, schedule.rows)
        assert split is not None
        self.split = split
        self.offsets = [emitter.index(v) for v in range(0, self.width, self.wide)]

    def emit(self) -> None:
        """Emit the loops over groups of panels and, inside, blocks of rows."""
        emitter = self.emitter
        self.nest.view(emitter)
        self.left = self.nest.inputs[0]
        self.right = physical_view(emitter, self.nest.inputs[1].value)
        panels = self.columns // (SIDE * self.width)
        self.stream = PanelStream(
            self.right,
            panels * PRODUCTS * self.slices,
            self.slice * self.width,
            self.slice,
        )
        sizes = [panels // self.group, -(-self.rows // (SIDE * self.height))]
        emitter.for_each(
            sizes, self.schedule.grain, lambda at: self._block(at[0], at[1])
        )

    def _block(self, group: SSAValue, block: SSAValue) -> None:
        """The rows of one block, for the panels of one group."""
        emitter, height = self.emitter, self.height
        self.sums, self.total = (emitter.stack(*s) for s in scratch(self.schedule))
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
        row = emitter.offset(emitter.add(step.row, row), part * self.height)
        if self.rows % (SIDE * self.height):
            # Clamp rows past the end; their results are discarded.
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

        emitter.loop_to(self.height, row)

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
        """Add the sums of a tile to the blocks of the result that use the product."""
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
        """The chunk of the weight that precedes, in memory, the one that is read
        next."""
        emitter, group = self.emitter, self.group
        count = emitter.offset(index, step.product * group + 1)
        # After the last product comes the next slice, or the first of the next group.
        number = emitter.add(step.slice, emitter.div(count, PRODUCTS * group))
        panel = emitter.add(step.panel, emitter.mod(count, group))
        moved = emitter.mul(emitter.div(number, self.slices), emitter.index(group))
        panel = emitter.mul(emitter.add(panel, moved), emitter.index(PRODUCTS))
        product = emitter.mod(emitter.div(count, group), PRODUCTS)
        chunk = emitter.mul(emitter.add(panel, product), emitter.index(self.slices))
        return emitter.offset(emitter.add(chunk, emitter.mod(number, self.slices)), -1)

    # The result.

    def _finish_block(self, first: SSAValue, panel: SSAValue, corner: Values) -> None:
        """The epilogue and the stores of the rows that exist, of one block and
        panel."""
        emitter, lanes, height = self.emitter, self.lanes, self.height
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
