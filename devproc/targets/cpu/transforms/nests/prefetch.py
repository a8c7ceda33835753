"""Prefetches the next panel of a weight while tiles of rows use the current one.

A weight is read from memory or from a shared cache. Without prefetching, the first tile
of a panel stalls on each cache line; the hardware prefetcher stops at the end of a
page.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.types import item_size
from devproc.targets.cpu.machine.processors import CACHED_BYTES
from devproc.targets.cpu.transforms.loops.access import (
    physical_shape,
    physical_view,
    view_as,
)
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import bytes_of, memref_of
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import Part, PartEmitter

LEAST_TILES = 2
"""Fewest tiles per panel. With one, the hardware prefetcher suffices: a tile of eight
rows would gain a sixth from memory and lose as much from a shared cache. With two
tiles, 16 rows from memory take two thirds of the time."""

LEAST_ROWS = 8
"""Fewest rows of a single tile for which prefetching to the L2 cache does not lose. 8
rows from memory gain a fifth, pairs almost half; 4 would lose a third (Zen 4)."""


def is_large(memory: SSAValue) -> bool:
    """Whether memory does not fit a core's private cache."""
    return bytes_of(memory) > CACHED_BYTES


def large_results(nest: Nest) -> tuple[int, ...]:
    """The numbers of the results that do not fit a core's private cache."""
    return tuple(n for n, result in enumerate(nest.results) if is_large(result.value))


def line_elements(memory: SSAValue) -> int:
    """Elements in a cache line."""
    return ALIGNMENT // item_size(memref_of(memory).element_type)


def ask_for(emitter: Emitter, memory: SSAValue, first: SSAValue, size: int) -> None:
    """Prefetch the cache lines of `size` elements of one-dimensional memory."""
    for start in range(0, size, line_elements(memory)):
        emitter.prefetch(memory, (emitter.offset(first, start),))


def ask_for_result(
    context: PartEmitter, result: Operand, row: int, first: Part, size: int
) -> None:
    """Prefetch the cache lines of `size` elements of a result, from a part on, in one
    row.

    A store that misses stalls those after it, above all if a row ends within a cache
    line, so that one vector needs two lines. `row` is the loop over rows.
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
    """The prefetches of one tile: from `first` on, `step` elements for each term."""

    memory: SSAValue
    first: SSAValue
    step: int

    def emit(self, emitter: Emitter, term: SSAValue) -> None:
        """Prefetch the elements that belong to a term."""
        moved = emitter.mul(term, emitter.index(self.step))
        ask_for(emitter, self.memory, emitter.add(self.first, moved), self.step)


@dataclass(frozen=True)
class PanelStream:
    """The panels of a weight, of `size` elements each, read in order in `terms` steps.

    `memory` is the weight, or a view of its physical shape.
    """

    memory: SSAValue
    panels: int
    size: int
    terms: int

    @property
    def is_whole(self) -> bool:
        """Whether the memory consists of the panels only."""
        return prod(physical_shape(self.memory)) == self.panels * self.size

    def pays(self, tiles: int, rows: int, level: int) -> bool:
        """Whether to prefetch panels, to a cache level, given the tiles that use each
        and their rows."""
        are_enough = tiles >= LEAST_TILES or (level > 1 and rows >= LEAST_ROWS)
        size = item_size(memref_of(self.memory).element_type)
        is_large = self.panels * self.size * size > CACHED_BYTES
        return self.is_whole and self.panels > 1 and are_enough and is_large

    def ahead(
        self, emitter: Emitter, panel: SSAValue, tile: SSAValue, tiles: int
    ) -> Prefetch:
        """The share of one tile, of `tiles`, in prefetching the next panel."""
        memory = physical_view(emitter, self.memory)
        memory = view_as(emitter, memory, (self.panels * self.size,))
        # All but the last tiles prefetch slightly more: shares are whole steps per term.
        step = -(-self.size // (self.terms * tiles))
        share = emitter.mul(tile, emitter.index(step * self.terms))
        last = emitter.index(max(self.size - step * self.terms, 0))
        share = emitter.minimum(share, last)
        following = emitter.minimum(
            emitter.offset(panel, 1), emitter.index(self.panels - 1)
        )
        start = emitter.mul(following, emitter.index(self.size))
        return Prefetch(memory, emitter.add(start, share), step)
