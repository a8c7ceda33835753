"""Prefetches the next panel of a weight while the tiles of rows pass over this one.

A weight comes from memory, or from a cache that all cores share. Without it the first tile
of a panel waits for each line; the hardware prefetcher stops at the end of a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from devproc.ir.cpus import CACHED_BYTES
from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.types import item_size
from devproc.transforms.cpu.loops.access import (
    physical_shape,
    physical_view,
    view_as,
)
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.vector_types import bytes_of, memref_of
from devproc.transforms.cpu.nests.loop_space import Operand
from devproc.transforms.cpu.nests.nest import Nest
from devproc.transforms.cpu.nests.nest_emitter import Part, PartEmitter

LEAST_TILES = 2
"""With one tile per panel the hardware prefetcher suffices: from memory a tile of eight
rows would gain a sixth, from a cache that cores share it loses as much. With two tiles, 16
rows from memory take two thirds of the time."""

LEAST_ROWS = 8
"""Rows with which a single tile does not lose, where panels are prefetched to the second
cache. 8 rows from memory gain a fifth, pairs almost half; 4 would lose a third (Zen 4)."""


def is_large(memory: SSAValue) -> bool:
    """Whether memory does not stay in a core's own cache."""
    return bytes_of(memory) > CACHED_BYTES


def large_results(nest: Nest) -> tuple[int, ...]:
    """The numbers of the results that do not stay in a core's own cache."""
    return tuple(n for n, result in enumerate(nest.results) if is_large(result.value))


def line_elements(memory: SSAValue) -> int:
    """Elements in a line of the cache."""
    return ALIGNMENT // item_size(memref_of(memory).element_type)


def ask_for(emitter: Emitter, memory: SSAValue, first: SSAValue, size: int) -> None:
    """Fetch `size` elements of one-dimensional memory, each of their lines."""
    for start in range(0, size, line_elements(memory)):
        emitter.prefetch(memory, (emitter.offset(first, start),))


def ask_for_result(
    context: PartEmitter, result: Operand, row: int, first: Part, size: int
) -> None:
    """Fetch the lines of `size` elements of a result, from a part on, in one row.

    A store that misses holds up those behind it, most of all where a row ends within a
    line: then one vector waits for two. `row` is the loop over rows.
    """
    emitter, line = context.emitter, line_elements(result.value)
    places = [*range(0, size, line)]
    if (result.stride(row) or 0) % line:
        places.append(size - 1)
    for place in places:
        part = Part(emitter.offset(first.start, place), first.body)
        emitter.prefetch(result.value, context.indices(result, part))


@dataclass(frozen=True)
class Prefetch:
    """What one tile fetches: from `first` on, `step` elements for each of its terms."""

    memory: SSAValue
    first: SSAValue
    step: int

    def emit(self, emitter: Emitter, term: SSAValue) -> None:
        """Ask for the elements that belong to a term."""
        moved = emitter.mul(term, emitter.index(self.step))
        ask_for(emitter, self.memory, emitter.add(self.first, moved), self.step)


@dataclass(frozen=True)
class PanelStream:
    """The panels of a weight, of `size` elements each, read in order in so many `terms`.

    `memory` is the weight, or a view of its physical shape.
    """

    memory: SSAValue
    panels: int
    size: int
    terms: int

    @property
    def is_whole(self) -> bool:
        """Whether the panels are all that the memory holds."""
        return prod(physical_shape(self.memory)) == self.panels * self.size

    def pays(self, tiles: int, rows: int, level: int) -> bool:
        """Whether to prefetch panels, to a level of the cache, that so many tiles of so
        many rows pass over."""
        are_enough = tiles >= LEAST_TILES or (level > 1 and rows >= LEAST_ROWS)
        size = item_size(memref_of(self.memory).element_type)
        is_large = self.panels * self.size * size > CACHED_BYTES
        return self.is_whole and self.panels > 1 and are_enough and is_large

    def ahead(
        self, emitter: Emitter, panel: SSAValue, tile: SSAValue, tiles: int
    ) -> Prefetch:
        """The share of one tile, of `tiles`, in the panel after this one."""
        memory = physical_view(emitter, self.memory)
        memory = view_as(emitter, memory, (self.panels * self.size,))
        # All but the last tiles take a little more: a share is a whole step per term.
        step = -(-self.size // (self.terms * tiles))
        share = emitter.mul(tile, emitter.index(step * self.terms))
        last = emitter.index(max(self.size - step * self.terms, 0))
        share = emitter.minimum(share, last)
        following = emitter.minimum(
            emitter.offset(panel, 1), emitter.index(self.panels - 1)
        )
        start = emitter.mul(following, emitter.index(self.size))
        return Prefetch(memory, emitter.add(start, share), step)
