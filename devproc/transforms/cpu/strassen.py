"""Emits a matrix product by Strassen's algorithm.

For a block of rows and a group of panels, a slice of the summed dimension at a time: the
sums of blocks of the left matrix go to scratch, then each product of blocks is a matrix
product with the sums of the right one, which lie in memory (`#dev.strassen`), by register
tiles. The products of a panel are then put together into rows, which take the epilogue.
All scratch of a block stays in the cache. Where the blocks of rows begin decides how
results are rounded, so it never depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects.dev import LayoutAttr, StrassenAttr, TargetAttr
from devproc.ir.strassen import (
    LEFT,
    RESULT,
    Table,
    block_positions,
    products_of,
    side_of,
    slice_depths,
)
from devproc.transforms.cpu.access import apply_map, physical_view, stored_as
from devproc.transforms.cpu.contraction import outer_product
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.kernels import grain_of
from devproc.transforms.cpu.lanewise import Lanewise
from devproc.transforms.cpu.loop_space import Operand
from devproc.transforms.cpu.nest import Nest
from devproc.transforms.cpu.nest_emitter import (
    NestEmitter,
    Part,
    Values,
    can_vectorize_nest,
)
from devproc.transforms.cpu.tile_shapes import RowBlocks, RowSplit, tile_rows
from devproc.transforms.cpu.transform_lines import transform_power
from devproc.transforms.cpu.vector_types import vector_type
from devproc.transforms.cpu.vectorize_body import VectorBody

BLOCK_ROWS = {1: 32, 2: 8}
"""Level -> rows of a block of the left matrix at most, in a block of rows."""

SUM_BYTES, SCRATCH_BYTES = 352 * 1024, 576 * 1024
"""Memory for the sums of a block of rows, and for all of its scratch: half of an L2, since
the weight flows through it too."""


def strassen_of(nest: Nest) -> StrassenAttr | None:
    """The layout of a weight that is stored as sums of blocks; else None."""
    if len(nest.inputs) != 2 or not nest.inputs[1].is_memref:
        return None
    return stored_as(nest.inputs[1].value, StrassenAttr)


def takes_epilogue(nest: Nest) -> bool:
    """Whether the epilogue of a matrix product can work on vectors of its columns."""
    column = _loop_of(nest.inputs[1], 0)
    others = [operand for operand in nest.operands if operand not in nest.inputs]
    return can_vectorize_nest(nest, column, others) and all(
        result.stride(column) == 1 for result in nest.results
    )


def _loop_of(operand: Operand, dimension: int) -> int:
    expr = operand.map.results[dimension]
    assert isinstance(expr, AffineDimExpr)
    return expr.position


@dataclass(frozen=True)
class Factor:
    """A slice of the right matrix of one product: it begins at row `base`."""

    panel: SSAValue
    product: SSAValue
    base: SSAValue


class StrassenLoops(NestEmitter):
    """The state of one matrix product being emitted."""

    def __init__(self, nest: Nest, emitter: Emitter, target: TargetAttr):
        vector_bits, threads = target.vector_bits.data, target.threads.data
        layout = strassen_of(nest)
        assert layout is not None
        nest.simplify()
        column, depth = (_loop_of(nest.inputs[1], d) for d in (0, 1))
        super().__init__(nest, column, emitter, vector_bits, threads)
        self.layout, self.depth_loop = layout, depth
        self.level, self.width = layout.level.data, layout.width.data
        self.side, self.products = side_of(self.level), products_of(self.level)
        self.row_loops = [d for d, p in enumerate(nest.parallel) if p and d != column]
        self.rows = prod(nest.sizes[d] for d in self.row_loops)
        self.blocks = RowBlocks.of(self.rows, self.side, BLOCK_ROWS[self.level])
        self.panels = nest.sizes[column] // (self.side * self.width)
        self.depth = nest.sizes[depth] // self.side
        # The products are of f32; the epilogue may need fewer lanes.
        self.wide = vector_bits // 32
        self.lanewise = Lanewise(emitter, vector_type(f32, self.wide))
        most_rows = tile_rows(self.width // self.wide, target)
        self.split = RowSplit.balanced(self.blocks.height, most_rows)
        self.offsets = [emitter.index(v) for v in range(0, self.width, self.wide)]
        self.slice = self._terms_of_slice()
        self.group = self._panels_of_group()

    def _terms_of_slice(self) -> int:
        """Terms that are summed up at a time: many, if the cache holds their sums."""
        sizes = slice_depths(self.depth, self.wide)
        if not sizes:
            raise PassFailedException(
                f"no slice of {self.depth} terms in whole vectors of {self.wide} suits"
                f" Strassen's algorithm; give the weight a layout {LayoutAttr.name}"
            )
        one = 4 * self.products * self.blocks.height
        return max(sizes[:1] + [size for size in sizes if size * one <= SUM_BYTES])

    def _panels_of_group(self) -> int:
        """Panels for which the sums of a block of rows are used: many, if all threads
        have work, and no more than the cache holds products of.
        """
        one = 4 * self.products * self.blocks.height
        rest = SCRATCH_BYTES - one * self.slice
        rest -= 4 * self.side**2 * self.blocks.height * self.width
        sizes = [
            size
            for size in range(1, self.panels + 1)
            if self.panels % size == 0
            and (size == 1 or size * one * self.width <= rest)
        ]
        items = [self.blocks.count * self.panels // size for size in sizes]
        busy = [
            size
            for size, count in zip(sizes, items, strict=True)
            if count >= 2 * self.threads or self.threads == 1
        ]
        return max(busy, default=1)

    def emit(self) -> None:
        """Emit the loops over groups of panels and, inside, blocks of rows."""
        emitter = self.emitter
        self.nest.view(emitter)
        self.left = self.nest.inputs[0]
        self.right = physical_view(emitter, self.nest.inputs[1].value)
        groups, blocks = self.panels // self.group, self.blocks.count
        is_split = grain_of(groups * blocks, 2 * self.nest.work, self.threads)
        emitter.for_each(
            [groups, blocks], is_split and 1, lambda at: self._block(at[0], at[1])
        )

    def _block(self, group: SSAValue, block: SSAValue) -> None:
        """The rows of one block, for the panels of one group."""
        emitter, height, slices = (
            self.emitter,
            self.blocks.height,
            self.depth // self.slice,
        )
        self.sums = emitter.stack(self.products, height, self.slice)
        self.made = emitter.stack(self.group, self.products, height, self.width)
        self.total = emitter.stack(self.side * height, self.side, self.width)
        first = emitter.mul(block, emitter.index(self.side * height))
        start = emitter.mul(group, emitter.index(self.group))

        def slice_(number: SSAValue, fresh: bool) -> None:
            base = emitter.mul(number, emitter.index(self.slice))
            emitter.loop_to(height, lambda row: self._sum(first, base, row))
            emitter.loop_to(
                self.group,
                lambda index: emitter.loop_to(
                    self.products,
                    lambda product: self._multiply(
                        Factor(emitter.add(start, index), product, base), index, fresh
                    ),
                ),
            )

        emitter.loop_range(0, 1, lambda number: slice_(number, True))
        emitter.loop_range(1, slices, lambda number: slice_(number, False))

        def panel(index: SSAValue) -> None:
            emitter.loop_to(height, lambda row: self._put_together(index, row))
            self._finish_rows(first, emitter.add(start, index))

        emitter.loop_to(self.group, panel)

    def _stand_at(self, row: SSAValue) -> None:
        """Set the loops of the rows, which are counted through all of them."""
        for loop in reversed(self.row_loops):
            size = self.nest.sizes[loop]
            last = loop == self.row_loops[0]
            self.point[loop] = row if last else self.emitter.mod(row, size)
            row = row if last else self.emitter.div(row, size)

    # The three steps.

    def _sum(self, first: SSAValue, base: SSAValue, row: SSAValue) -> None:
        """The sums of blocks of the left matrix for one row of each, in one slice."""
        emitter, side, height = self.emitter, self.side, self.blocks.height
        places: list[SSAValue] = []
        for part in range(side):
            place = emitter.add(first, emitter.offset(row, part * height))
            if self.rows % (side * height):
                # A row behind the end is any other one: nothing is stored for it.
                place = emitter.minimum(place, emitter.index(self.rows - 1))
            places.append(place)

        def terms(k: SSAValue) -> None:
            blocks: list[SSAValue] = []
            for part, column in block_positions(self.level):
                self._stand_at(places[part])
                at = emitter.offset(emitter.add(base, k), column * self.depth)
                self.point[self.depth_loop] = at
                indices = apply_map(emitter, self.left.map, self.point)
                blocks.append(emitter.load_vector(self.left.value, indices, self.wide))
            for product, value in enumerate(self._transform(LEFT, blocks)):
                where = (emitter.index(product), row, k)
                emitter.store_vector(value, self.sums, where)

        emitter.loop_between(
            emitter.index(0), emitter.index(self.slice), terms, self.wide
        )

    def _multiply(self, factor: Factor, index: SSAValue, fresh: bool) -> None:
        """One product of blocks, for one panel and one slice, by register tiles."""
        emitter, split = self.emitter, self.split

        def tile(number: SSAValue, is_short: bool) -> None:
            rows = emitter.rows_of(split, number, is_short)
            ahead = self._ahead(factor, number)
            target = (index, factor.product)
            places = [(*target, row, at) for row in rows for at in self.offsets]
            self._tile(factor, rows, ahead, places, fresh)

        emitter.loop_range(0, split.tall, lambda n: tile(n, False))
        emitter.loop_range(split.tall, split.count, lambda n: tile(n, True))

    def _ahead(self, factor: Factor, tile: SSAValue) -> list[Values]:
        """Where the vectors of the next factor begin that this tile prefetches.

        The tiles share them: without that, the first tile would wait for all of them.
        """
        emitter, vectors = self.emitter, len(self.offsets)
        last = self.panels * self.products - 1
        flat = emitter.mul(factor.panel, emitter.index(self.products))
        flat = emitter.offset(emitter.add(flat, factor.product), 1)
        flat = emitter.minimum(flat, emitter.index(last))
        panel, product = (
            emitter.div(flat, self.products),
            emitter.mod(flat, self.products),
        )
        each = -(-vectors // self.split.count)
        first = emitter.mul(tile, emitter.index(each))
        found: list[Values] = []
        for number in range(each):
            vector = emitter.mod(emitter.offset(first, number), vectors)
            at = emitter.mul(vector, emitter.index(self.wide))
            found.append((panel, product, at))
        return found

    def _tile(
        self,
        factor: Factor,
        rows: Values,
        ahead: Sequence[Values],
        places: Sequence[Values],
        fresh: bool,
    ) -> None:
        emitter, lanes, right = self.emitter, self.wide, self.right

        def term(k: SSAValue, sums: Values) -> Values:
            depth = emitter.add(factor.base, k)
            at = (factor.panel, factor.product, depth)
            vectors = [
                emitter.load_vector(right, (*at, offset), lanes)
                for offset in self.offsets
            ]
            for panel, product, offset in ahead:
                emitter.prefetch(right, (panel, product, depth, offset))
            left = (emitter.load(self.sums, (factor.product, row, k)) for row in rows)
            return outer_product(emitter, left, vectors, sums)

        zero = self.lanewise.number(0.0)
        sums = emitter.loop(
            emitter.index(0), emitter.index(self.slice), 1, [zero] * len(places), term
        )
        for place, value in zip(places, sums, strict=True):
            if not fresh:
                before = emitter.load_vector(self.made, place, lanes)
                value = self.lanewise.add(before, value)
            emitter.store_vector(value, self.made, place)

    def _put_together(self, index: SSAValue, row: SSAValue) -> None:
        """The blocks of the result of one panel, for one row of each."""
        emitter = self.emitter

        def vectors(offset: SSAValue) -> None:
            products = [
                emitter.load_vector(
                    self.made, (index, emitter.index(p), row, offset), self.wide
                )
                for p in range(self.products)
            ]
            blocks = self._transform(RESULT, products)
            for (part, column), value in zip(
                block_positions(self.level), blocks, strict=True
            ):
                place = emitter.offset(row, part * self.blocks.height)
                where = (place, emitter.index(column), offset)
                emitter.store_vector(value, self.total, where)

        end = emitter.index(self.width)
        emitter.loop_between(emitter.index(0), end, vectors, self.wide)

    def _finish_rows(self, first: SSAValue, panel: SSAValue) -> None:
        """The epilogue and the stores of all rows of a block that exist."""
        emitter, lanes = self.emitter, self.lanes
        start = emitter.mul(panel, emitter.index(self.width))
        size = self.nest.sizes[self.loop] // self.side

        def row(number: SSAValue) -> None:
            self._stand_at(emitter.add(first, number))
            emitter.loop_to(self.side, lambda column: columns(number, column))

        def columns(number: SSAValue, column: SSAValue) -> None:
            begin = emitter.add(start, emitter.mul(column, emitter.index(size)))

            def vectors(offset: SSAValue) -> None:
                part = Part(emitter.add(begin, offset), VectorBody(emitter, lanes))
                value = emitter.load_vector(self.total, (number, column, offset), lanes)
                (before,) = self.start(part)
                assert before is not None
                self.finish(part, [self.lanewise.add(part.body.widen(before), value)])

            end = emitter.index(self.width)
            emitter.loop_between(emitter.index(0), end, vectors, lanes)

        most = self.side * self.blocks.height
        left = emitter.sub(emitter.index(self.rows), first)
        emitter.loop_between(
            emitter.index(0), emitter.minimum(left, emitter.index(most)), row
        )

    def _transform(self, table: Table, values: Values) -> Values:
        return transform_power(self.lanewise, np.array(table), values)
