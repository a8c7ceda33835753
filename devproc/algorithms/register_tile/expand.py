"""Emits a contraction as register tiles over panels.

A tile of `rows x vectors` accumulators stays in registers through the whole sum and the
epilogue. Panels are as wide as a tile; a ragged end of the columns is a panel of its own,
masked; rows are split into tiles of equal height, or nearly so. The order of the loops is a
matter of the caches: `cache_blocking.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.algorithms.block_float.expand import (
    BlockFloatReader,
    BlockFloatTile,
    block_float_of,
)
from devproc.algorithms.register_tile.cache_blocking import CacheBlocking
from devproc.algorithms.register_tile.factor_readers import (
    Panel,
    PanelReader,
    RowReader,
    packed_rows,
)
from devproc.algorithms.register_tile.roles import Roles
from devproc.algorithms.register_tile.tile import RegisterTile
from devproc.dialects.dev import TargetAttr
from devproc.ir.layouts.block_float import QUARTERS
from devproc.ir.types import item_size
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import grain_of
from devproc.transforms.cpu.loops.prefetch import PanelStream, Prefetch
from devproc.transforms.cpu.loops.vector_types import memref_of
from devproc.transforms.cpu.nests.nest_emitter import NestEmitter
from devproc.transforms.cpu.nests.tile_shapes import MAX_VECTORS, RowSplit, tile_rows

Inside = Callable[[], None]


@dataclass(frozen=True)
class Axis:
    """One loop around the tiles.

    `visit(index, inside)` emits `inside` at one index, or in a loop where none is given.
    """

    size: int
    visit: Callable[[SSAValue | None, Inside], None]


@dataclass(frozen=True)
class CuttableAxis(Axis):
    """A loop that may pass in blocks: `part(lower, upper, inside)` is a loop over one."""

    part: Callable[[SSAValue, SSAValue, Inside], None]


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
        self.prefetch_level = target.prefetch_level.data
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
        self.first_tile = self.tile_number = emitter.index(0)
        self.tile: list[SSAValue] = []

    @property
    def fits(self) -> bool:
        """Whether whole vectors make a panel, and a tile of it fits the registers."""
        if block_float_of(self.nest) is not None and self.vectors != QUARTERS:
            return False
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

    def _order(self, rows_outside: bool) -> tuple[Sequence[Axis], int]:
        """The loops around a tile, the outermost first, and how many of them may be spread
        over threads: blocks do not all have the same number of tiles, or of lines.
        """
        used = self.roles.rhs.operand.map.used_dims()
        loops = [loop for loop in self.roles.outer if loop not in used]
        with_weight = [loop for loop in self.roles.outer if loop in used]
        rows = CuttableAxis(self.split.count, self._visit_rows, self._rows_between)
        around = [*(self._outer_axis(loop) for loop in loops), rows]
        shared = [self._outer_axis(loop) for loop in with_weight]
        panels = Axis(self.panels, self._visit_panel)
        if rows_outside:
            axes = [rows, *shared, *around[:-1], panels]
            return axes, len(axes)
        blocking = CacheBlocking(
            self.roles, with_weight, loops, self.panels, self.threads
        )
        cut = blocking.cut()
        if cut is None:
            axes = [*shared, panels, *around]
            return axes, len(axes)
        blocks, inside = self._cut(around[cut.place], cut.blocks)
        if cut.place == len(loops):
            self.tiles = inside.size
        before = [*shared, *around[: cut.place], blocks, panels]
        return [*before, inside, *around[cut.place + 1 :]], len(before)

    def _cut(self, axis: CuttableAxis, blocks: int) -> tuple[Axis, Axis]:
        """The blocks of a loop, and the iterations of a block."""
        emitter, whole = self.emitter, axis.size
        size = -(-whole // blocks)
        count = -(-whole // size)
        block = emitter.index(0)

        def visit(index: SSAValue | None, inside: Inside) -> None:
            def at(number: SSAValue) -> None:
                nonlocal block
                block = number
                inside()

            self._either(index, count, count, at, at)

        def part(_: SSAValue | None, inside: Inside) -> None:
            lower = emitter.mul(block, emitter.index(size))
            upper = emitter.offset(lower, size)
            if whole % size:
                upper = emitter.minimum(upper, emitter.index(whole))
            axis.part(lower, upper, inside)

        return Axis(count, visit), Axis(size, part)

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
        stream = PanelStream(memory, self.panels, depth * self.width, depth)
        if not stream.pays(self.tiles, self.split.height, self.prefetch_level):
            return None
        tile = self.emitter.sub(self.tile_number, self.first_tile)
        return stream.ahead(self.emitter, self.panel.number, tile, self.tiles)

    def _outer_axis(self, loop: int) -> CuttableAxis:
        size = self.nest.sizes[loop]

        def at(inside: Inside) -> Callable[[SSAValue], None]:
            def body(index: SSAValue) -> None:
                self.point[loop] = index
                inside()

            return body

        return CuttableAxis(
            size,
            lambda index, inside: self._either(
                index, size, size, at(inside), at(inside)
            ),
            lambda lower, upper, inside: self.emitter.loop_between(
                lower, upper, at(inside)
            ),
        )

    def _visit_panel(self, index: SSAValue | None, inside: Inside) -> None:
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

    def _rows(self, inside: Inside, is_short: bool) -> Callable[[SSAValue], None]:
        def body(number: SSAValue) -> None:
            self.tile_number = number
            self.tile = self.emitter.rows_of(self.split, number, is_short)
            inside()

        return body

    def _visit_rows(self, index: SSAValue | None, inside: Inside) -> None:
        tall, short = self._rows(inside, False), self._rows(inside, True)
        self._either(index, self.split.tall, self.split.count, tall, short)

    def _rows_between(self, lower: SSAValue, upper: SSAValue, inside: Inside) -> None:
        """The tiles of a block: tall ones up to a border, behind it the others."""
        emitter, split = self.emitter, self.split
        self.first_tile = lower
        border = emitter.minimum(upper, emitter.index(split.tall))
        emitter.loop_between(lower, border, self._rows(inside, False))
        if split.short:
            start = emitter.value(arith.MaxUIOp, (lower, border))
            emitter.loop_between(start, upper, self._rows(inside, True))

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
