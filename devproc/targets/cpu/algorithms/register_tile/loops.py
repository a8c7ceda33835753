"""The loops around the tiles of a contraction; a callback emits the tiles.

Panels are as wide as a tile; the ragged end of the columns is a separate, masked panel.
Rows are split into tiles of equal height, or nearly so. The order of the loops is that
of `axes.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.dialects.sched import RegisterTileSchedule
from devproc.targets.cpu.algorithms.register_tile.axes import Axis, axes_of, split_of
from devproc.targets.cpu.algorithms.register_tile.factor_readers import Panel
from devproc.targets.cpu.algorithms.register_tile.plan import panel_stream
from devproc.targets.cpu.algorithms.register_tile.roles import Roles
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.prefetch import Prefetch

Inside = Callable[[], None]


@dataclass(frozen=True)
class Box:
    """The position and size of a tile: its first row, its number of rows, its panel of
    columns, and the part of the next panel that it prefetches."""

    row: SSAValue
    rows: int
    panel: Panel
    prefetch: Prefetch | None


class PanelLoops:
    """Emits the loops around the tiles of one contraction.

    `point`: the current index of each loop, read by the tile.
    """

    def __init__(
        self,
        roles: Roles,
        schedule: RegisterTileSchedule,
        emitter: Emitter,
        lanes: int,
        point: list[SSAValue],
    ):
        self.roles, self.schedule = roles, schedule
        self.emitter, self.point = emitter, point
        self.width = schedule.vectors * lanes
        self.split = split_of(roles, schedule.rows)
        self.panels = -(-roles.columns // self.width)
        self.last = roles.columns - (self.panels - 1) * self.width
        self.axes = axes_of(roles, schedule, lanes)
        self.panel = Panel(emitter.index(0), emitter.index(0), self.width)
        self.block = self.first_tile = self.tile_number = emitter.index(0)
        self.row, self.rows = emitter.index(0), 1

    def emit(self, tile: Callable[[Box], None]) -> None:
        """Emit all loops around `tile`, the outer ones spread over threads by the
        schedule."""
        self.tile = tile
        if self.schedule.grain is None:
            self._walk(0, [])
            return
        sizes = self.axes.sizes[: self.schedule.spread]

        def body(indices: list[SSAValue]) -> None:
            found = iter(indices)
            zero = self.emitter.index(0)
            self._walk(0, [next(found) if size > 1 else zero for size in sizes])

        spread = [size for size in sizes if size > 1]
        self.emitter.parallel(spread, self.schedule.grain, body)

    def _walk(self, depth: int, indices: Sequence[SSAValue]) -> None:
        """Emit the axes from `depth` on; the first ones may have a given index."""
        if depth == len(self.axes.axes):
            self.tile(Box(self.row, self.rows, self.panel, self._prefetch()))
            return
        index = indices[depth] if depth < len(indices) else None
        axis = self.axes.axes[depth]
        self._visit(axis, index, lambda: self._walk(depth + 1, indices))

    def _prefetch(self) -> Prefetch | None:
        """The part of the next panel that a tile prefetches."""
        if not self.schedule.prefetch_panel:
            return None
        stream = panel_stream(self.roles, self.width)
        assert stream is not None
        tile = self.emitter.sub(self.tile_number, self.first_tile)
        return stream.ahead(self.emitter, self.panel.number, tile, self.axes.tiles)

    # The loops around the tiles: one iteration if an index is given, else all.

    def _visit(self, axis: Axis, index: SSAValue | None, inside: Inside) -> None:
        match axis.what:
            case "panels":
                self._visit_panels(index, inside)
            case "rows":
                self._visit_rows(index, inside)
            case "blocks":
                self._visit_blocks(axis, index, inside)
            case "in a block":
                self._visit_block(axis, inside)
            case loop:
                body = self._at(loop, inside)
                self._either(index, axis.size, axis.size, body, body)

    def _at(self, loop: int, inside: Inside) -> Callable[[SSAValue], None]:
        def body(index: SSAValue) -> None:
            self.point[loop] = index
            inside()

        return body

    def _visit_blocks(self, axis: Axis, index: SSAValue | None, inside: Inside) -> None:
        def at(number: SSAValue) -> None:
            self.block = number
            inside()

        self._either(index, axis.size, axis.size, at, at)

    def _visit_block(self, axis: Axis, inside: Inside) -> None:
        """The iterations of the current block."""
        emitter, cut = self.emitter, self.axes.cut
        assert cut is not None
        lower = emitter.mul(self.block, emitter.index(axis.size))
        upper = emitter.offset(lower, axis.size)
        if cut.size % axis.size:
            upper = emitter.minimum(upper, emitter.index(cut.size))
        if isinstance(cut.what, int):
            emitter.loop_between(lower, upper, self._at(cut.what, inside))
        else:
            self._rows_between(lower, upper, inside)

    def _visit_panels(self, index: SSAValue | None, inside: Inside) -> None:
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
            split = self.split
            self.row = self.emitter.first_row(split, number, is_short)
            self.rows = split.rest if is_short else split.height
            inside()

        return body

    def _visit_rows(self, index: SSAValue | None, inside: Inside) -> None:
        tall, short = self._rows(inside, False), self._rows(inside, True)
        self._either(index, self.split.tall, self.split.count, tall, short)

    def _rows_between(self, lower: SSAValue, upper: SSAValue, inside: Inside) -> None:
        """The tiles of a block: tall ones up to a bound, then the others."""
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
        """Emit `one` for iterations below `first` and `other` for those up to `count`.

        A given index is one iteration of a parallel loop; without it a loop is emitted.
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
