"""The loops around the tiles of a contraction, the outermost first.

Either the loop over panels of columns is outside the loop over tiles of rows, or
inside. In the first order one loop may be blocked (`cache_blocking.py`), with all
panels per block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from devproc.dialects.sched import RegisterTileSchedule
from devproc.targets.cpu.algorithms.register_tile.roles import Roles
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit

What: TypeAlias = int | Literal["rows", "panels", "blocks", "in a block"]
"""A loop of the nest by its number, or a loop over panels, tiles of rows or blocks."""


@dataclass(frozen=True)
class Axis:
    """One loop around the tiles."""

    what: What
    size: int


@dataclass(frozen=True)
class Axes:
    """All loops around the tiles. The first `parallel` ones may be spread over threads;
    the others may have a trip count that differs between blocks.

    `tiles`: the tiles of rows that use one panel in turn. `cut`: the blocked loop.
    """

    axes: Sequence[Axis]
    parallel: int
    tiles: int
    cut: Axis | None = None

    @property
    def sizes(self) -> list[int]:
        """The iterations of each loop."""
        return [axis.size for axis in self.axes]


def outer_loops(roles: Roles) -> tuple[list[int], list[int]]:
    """The loops around the tiles, without the rows: those that index the rhs, and the
    others."""
    used = roles.rhs.operand.map.used_dims()
    shared = [loop for loop in roles.outer if loop in used]
    return shared, [loop for loop in roles.outer if loop not in used]


def axes_of(roles: Roles, schedule: RegisterTileSchedule, lanes: int) -> Axes:
    """The loops around the tiles of a schedule."""
    sizes = roles.nest.sizes
    with_panels, others = outer_loops(roles)
    shared = [Axis(loop, sizes[loop]) for loop in with_panels]
    loops = [Axis(loop, sizes[loop]) for loop in others]
    tiles = split_of(roles, schedule.rows).count
    rows = Axis("rows", tiles)
    panels = Axis("panels", -(-roles.columns // (schedule.vectors * lanes)))
    if schedule.order == "rows":
        axes = [rows, *shared, *loops, panels]
        return Axes(axes, len(axes), tiles)
    around = [*loops, rows]
    if schedule.cut is None:
        axes = [*shared, panels, *around]
        return Axes(axes, len(axes), tiles)
    place, blocks = schedule.cut
    cut = around[place]
    size = -(-cut.size // blocks)
    inside = Axis("in a block", size)
    before = [*shared, *around[:place], Axis("blocks", -(-cut.size // size)), panels]
    axes = [*before, inside, *around[place + 1 :]]
    return Axes(axes, len(before), size if cut is rows else tiles, cut)


def split_of(roles: Roles, height: int) -> RowSplit:
    """The tiles of rows of a schedule with this height."""
    if roles.packed_rows is not None:
        return RowSplit.aligned(roles.rows, height)
    split = RowSplit.of(roles.rows, height)
    assert split is not None
    return split
