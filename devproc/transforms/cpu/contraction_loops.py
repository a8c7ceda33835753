"""Emits a contraction as register tiles over panels.

A tile of `rows x vectors` accumulators stays in registers through the whole sum and the
epilogue. Panels are as wide as a tile; a ragged end of the columns is a panel of its own,
masked; rows are split into tiles of equal height, or nearly so. What stays in the cache follows
from the order of the loops: in a matrix product a panel, while a block of rows passes over
it; in a convolution the filters of a tile, while the image passes, or of a large image a
block of lines, while the filters pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.ir.types import item_size
from devproc.transforms.cpu.block_float import (
    BlockFloatReader,
    BlockFloatTile,
    block_float_of,
)
from devproc.transforms.cpu.contraction import Roles
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.factor_readers import (
    Panel,
    PanelReader,
    RowReader,
    packed_rows,
)
from devproc.transforms.cpu.kernels import grain_of
from devproc.transforms.cpu.loop_space import Operand
from devproc.transforms.cpu.nest_emitter import NestEmitter
from devproc.transforms.cpu.prefetch import PanelStream, Prefetch
from devproc.transforms.cpu.register_tile import RegisterTile
from devproc.transforms.cpu.tile_shapes import MAX_VECTORS, RowSplit, tile_rows
from devproc.transforms.cpu.vector_types import bytes_of, memref_of

BLOCK_BYTES = 128 * 1024
"""Rows of the lhs that stay in a core's own cache while all panels pass."""

BLOCK_ROWS = 256
"""Rows of a block at least: every block reads the whole weight again."""


@dataclass(frozen=True)
class Axis:
    """One loop around the tiles.

    `visit(index, inside)` emits `inside` at one index, or in a loop where none is given.
    """

    size: int
    visit: Callable[[SSAValue | None, Callable[[], None]], None]


class ContractionLoops(NestEmitter):
    """The state of one contraction being emitted."""

    def __init__(
        self,
        roles: Roles,
        emitter: Emitter,
        target: TargetAttr,
        rows_outside: bool = False,
    ):
        nest = roles.nest
        vector_bits, threads = target.vector_bits.data, target.threads.data
        super().__init__(nest, roles.column, emitter, vector_bits, threads)
        self.roles = roles
        columns = nest.sizes[roles.column]
        self.width = roles.panel or self._unpacked_width(columns)
        self.vectors = self.width // self.lanes
        rows = nest.sizes[roles.row] if roles.row is not None else 1
        most, packed = self._most_rows(target), packed_rows(roles)
        self.split = (
            RowSplit.aligned(rows, most, packed)
            if packed
            else RowSplit.balanced(rows, most, self.vectors)
        )
        self.panels = -(-columns // self.width)
        self.last = columns - (self.panels - 1) * self.width
        self.tiles = self.split.count
        self.axes, self.spread = self._order(rows_outside and roles.panel is None)
        self.panel = Panel(emitter.index(0), emitter.index(0), self.width)
        self.block = self.tile_number = emitter.index(0)
        self.tile: list[SSAValue] = []

    @property
    def fits(self) -> bool:
        """Whether whole vectors make a panel, and a tile of it fits the registers."""
        return self.width % self.lanes == 0 and self.vectors <= MAX_VECTORS

    def _unpacked_width(self, columns: int) -> int:
        needed = -(-columns // self.lanes)
        return min(3 if needed % 3 == 0 else 2, needed) * self.lanes

    def _most_rows(self, target: TargetAttr) -> int:
        most = tile_rows(self.vectors, target)
        operand = self.roles.lhs.operand
        stride = operand.stride(self.roles.row) if self.roles.row is not None else 0
        if (
            stride
            and stride * item_size(memref_of(operand.value).element_type) % 4096 == 0
        ):
            # All rows in one set of the cache, which holds eight lines.
            return min(most, 8)
        return most

    def _tiles_of_block(self) -> int:
        """Tiles of rows that pass over a panel before the next one comes."""
        element = memref_of(self.roles.lhs.operand.value).element_type
        row = prod(self.nest.sizes[d] for d in self.nest.reductions)
        rows = max(BLOCK_ROWS, BLOCK_BYTES // (row * item_size(element)))
        blocks = -(-self.split.count * self.split.height // rows)
        return -(-self.split.count // (blocks if self.panels > 1 else 1))

    def _order(self, rows_outside: bool) -> tuple[Sequence[Axis], int]:
        """The loops around a tile, the outermost first, and how many of them may be spread
        over threads: blocks do not all have the same number of tiles, or of lines.
        """
        used = self.roles.rhs.operand.map.used_dims()
        loops = [loop for loop in self.roles.outer if loop not in used]
        together = [loop for loop in self.roles.outer if loop in used]
        shared = [self._outer_axis(loop) for loop in together]
        outer = [self._outer_axis(loop) for loop in loops]
        panels = Axis(self.panels, self._visit_panel)
        rows = Axis(self.split.count, self._visit_rows)
        if rows_outside:
            return [rows, *shared, *outer, panels], len(self.roles.outer) + 2
        cut = self._cut(loops, together)
        if cut is not None:
            place, size = cut
            blocks, inside = self._cut_axes(loops[place], size)
            before = [*shared, *outer[:place], blocks, panels]
            return [*before, inside, *outer[place + 1 :], rows], len(before)
        if not outer:
            self.tiles = self._tiles_of_block()
        blocks = Axis(-(-self.split.count // self.tiles), self._visit_block)
        axes = [*shared, blocks, panels, *outer, rows]
        return axes, len(axes) - int(self.tiles < self.split.count)

    def _cut(
        self, outer: Sequence[int], shared: Sequence[int]
    ) -> tuple[int, int] | None:
        """Which of the `outer` loops around the rows is cut into blocks of how many
        iterations, so that panel after panel passes over a block; None where the image
        passes whole.

        Then each block reads the whole weight, instead of each panel the whole image: the
        part of either that belongs to one iteration of the `shared` loops around all.
        """
        nest, roles = self.nest, self.roles
        image, weight = (
            self._bytes_inside(factor.operand, shared)
            for factor in (roles.lhs, roles.rhs)
        )
        rows = nest.sizes[roles.row] if roles.row is not None else 1
        every = rows * prod(nest.sizes[loop] for loop in outer)
        times = prod(nest.sizes[loop] for loop in shared)
        most = max(BLOCK_ROWS, BLOCK_BYTES * every // image)
        for place in reversed(range(len(outer))):
            size = nest.sizes[outer[place]]
            if rows * size > most:
                blocks = -(-size // max(1, most // rows))
                count = blocks * prod(nest.sizes[loop] for loop in outer[:place])
                pays = (self.panels - 1) * image > (count - 1) * weight
                spreads = times * count * self.panels >= 4 * self.threads
                return (place, -(-size // blocks)) if pays and spreads else None
            rows *= size
        return None

    def _bytes_inside(self, operand: Operand, loops: Sequence[int]) -> int:
        """What one iteration of the loops reads of an operand, at least a byte."""
        used = operand.map.used_dims().intersection(loops)
        times = prod(self.nest.sizes[loop] for loop in used)
        return max(1, bytes_of(operand.value) // times)

    def _cut_axes(self, loop: int, size: int) -> tuple[Axis, Axis]:
        """The blocks of a loop, of `size` iterations, and the iterations of a block."""
        emitter, whole = self.emitter, self.nest.sizes[loop]
        block = emitter.index(0)

        def blocks(index: SSAValue | None, inside: Callable[[], None]) -> None:
            def at(number: SSAValue) -> None:
                nonlocal block
                block = number
                inside()

            self._either(index, count, count, at, at)

        def lines(_: SSAValue | None, inside: Callable[[], None]) -> None:
            def at(line: SSAValue) -> None:
                self.point[loop] = line
                inside()

            lower = emitter.mul(block, emitter.index(size))
            upper = emitter.offset(lower, size)
            if whole % size:
                upper = emitter.minimum(upper, emitter.index(whole))
            emitter.loop_between(lower, upper, at)

        count = -(-whole // size)
        return Axis(count, blocks), Axis(size, lines)

    def emit(self) -> None:
        """Emit the loops, the outer ones spread over threads where that pays."""
        self.nest.view(self.emitter)
        is_block_float = block_float_of(self.nest) is not None
        right = BlockFloatReader if is_block_float else PanelReader
        self.tile_class = BlockFloatTile if is_block_float else RegisterTile
        self.readers = (
            RowReader(self.roles, self.emitter),
            right(self.roles, self.emitter, self.lanes),
        )
        split, count = 0, 1
        while split < self.spread and count < 4 * self.threads:
            count *= self.axes[split].size
            split += 1
        grain = grain_of(count, 2 * self.nest.work, self.threads)
        if grain is None:
            self._walk(0, [])
            return
        spread = [axis.size for axis in self.axes[:split] if axis.size > 1]

        def body(indices: list[SSAValue]) -> None:
            found = iter(indices)
            zero = self.emitter.index(0)
            self._walk(
                0,
                [next(found) if a.size > 1 else zero for a in self.axes[:split]],
            )

        self.emitter.parallel(spread, grain, body)

    def _walk(self, depth: int, indices: Sequence[SSAValue]) -> None:
        """The axes from `depth` on; the first ones may stand at given indices."""
        if depth == len(self.axes):
            tile = self.tile_class(
                self, self.roles, self.readers, self.tile, self.panel
            )
            tile.emit(self._ahead())
            return
        index = indices[depth] if depth < len(indices) else None
        self.axes[depth].visit(index, lambda: self._walk(depth + 1, indices))

    def _ahead(self) -> Prefetch | None:
        """What a tile fetches of the next panel."""
        roles, nest = self.roles, self.nest
        if roles.panel is None or len(nest.reductions) != 1:
            return None
        memory, depth = self.readers[1].memory, nest.sizes[nest.reductions[0]]
        stream = PanelStream(memory, self.panels, depth, self.width)
        if not stream.pays(self.tiles):
            return None
        first = self.emitter.mul(self.block, self.emitter.index(self.tiles))
        tile = self.emitter.sub(self.tile_number, first)
        return stream.ahead(self.emitter, self.panel.number, tile, self.tiles)

    def _outer_axis(self, loop: int) -> Axis:
        size = self.nest.sizes[loop]

        def visit(index: SSAValue | None, inside: Callable[[], None]) -> None:
            def at(index: SSAValue) -> None:
                self.point[loop] = index
                inside()

            self._either(index, size, size, at, at)

        return Axis(size, visit)

    def _visit_panel(self, index: SSAValue | None, inside: Callable[[], None]) -> None:
        emitter = self.emitter

        def panel(number: SSAValue, size: int) -> None:
            start = emitter.mul(number, emitter.index(self.width))
            self.panel = Panel(start, number, size)
            inside()

        whole = self.panels if self.last == self.width else self.panels - 1
        self._either(
            index,
            whole,
            self.panels,
            lambda number: panel(number, self.width),
            lambda number: panel(number, self.last),
        )

    def _visit_block(self, index: SSAValue | None, inside: Callable[[], None]) -> None:
        def block(number: SSAValue) -> None:
            self.block = number
            inside()

        count = -(-self.split.count // self.tiles)
        self._either(index, count, count, block, block)

    def _visit_rows(self, index: SSAValue | None, inside: Callable[[], None]) -> None:
        emitter, split = self.emitter, self.split

        def rows(number: SSAValue, is_short: bool) -> None:
            self.tile_number = number
            self.tile = emitter.rows_of(split, number, is_short)
            inside()

        if self.tiles == split.count:
            self._either(
                index,
                split.tall,
                split.count,
                lambda number: rows(number, False),
                lambda number: rows(number, True),
            )
            return
        # The tiles of a block: tall ones up to a border, behind it the others.
        lower = emitter.mul(self.block, emitter.index(self.tiles))
        upper = emitter.offset(lower, self.tiles)
        upper = emitter.minimum(upper, emitter.index(split.count))
        border = emitter.minimum(upper, emitter.index(split.tall))
        emitter.loop_between(lower, border, lambda number: rows(number, False))
        if split.short:
            start = emitter.value(arith.MaxUIOp, (lower, border))
            emitter.loop_between(start, upper, lambda number: rows(number, True))

    def _either(
        self,
        index: SSAValue | None,
        first: int,
        count: int,
        one: Callable[[SSAValue], None],
        other: Callable[[SSAValue], None],
    ) -> None:
        """`one` for iterations below `first`, `other` up to `count`.

        A given index is one iteration of a parallel loop; without it all run in order.
        """
        emitter = self.emitter
        if index is None:
            emitter.loop_range(0, first, one)
            emitter.loop_range(first, count, other)
        elif first == count:
            one(index)
        elif first == 0:
            other(index)
        else:
            emitter.branch_below(index, first, lambda: one(index), lambda: other(index))
