"""Cache blocking of a contraction: which loop around the tiles is cut into blocks.

A block of the image stays in a core's own cache while panel after panel of the weight passes
over it (Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008). Each
block reads the whole weight; without blocks, each panel reads the whole image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from devproc.algorithms.register_tile.roles import Roles
from devproc.transforms.cpu.loops.vector_types import bytes_of
from devproc.transforms.cpu.nests.loop_space import Operand

BLOCK_BYTES = 128 * 1024
"""What a block reads of the image."""

BLOCK_ROWS = 256
"""Rows of a block at least: every block reads the whole weight again."""


@dataclass(frozen=True)
class Cut:
    """The loop at `place`, of those around a tile, passes in so many `blocks`."""

    place: int
    blocks: int


@dataclass(frozen=True)
class CacheBlocking:
    """Chooses a cut of the loops `around` a tile, the outermost first, behind which only
    the rows come; the `shared` loops around all these have a weight for each iteration.
    """

    roles: Roles
    shared: Sequence[int]
    around: Sequence[int]
    panels: int
    threads: int

    def cut(self) -> Cut | None:
        """The innermost loop that a block does not hold; None where blocks do not pay."""
        nest, roles = self.roles.nest, self.roles
        image, weight = (self._bytes(f.operand) for f in (roles.lhs, roles.rhs))
        rows = nest.sizes[roles.row] if roles.row is not None else 1
        sizes = [*(nest.sizes[loop] for loop in self.around), rows]
        most = max(BLOCK_ROWS, BLOCK_BYTES * prod(sizes) // image)
        inside = 1
        for place in reversed(range(len(sizes))):
            if inside * sizes[place] > most:
                blocks = -(-sizes[place] // max(1, most // inside))
                count = blocks * prod(sizes[:place])
                pays = (self.panels - 1) * image > (count - 1) * weight
                return Cut(place, blocks) if pays and self._spreads(count) else None
            inside *= sizes[place]
        return None

    def _bytes(self, operand: Operand) -> int:
        """What one iteration of the shared loops reads of an operand, at least a byte."""
        used = operand.map.used_dims().intersection(self.shared)
        times = prod(self.roles.nest.sizes[loop] for loop in used)
        return max(1, bytes_of(operand.value) // times)

    def _spreads(self, blocks: int) -> bool:
        """Whether blocks and panels keep all threads busy, of which a block's inside has
        one.
        """
        times = prod(self.roles.nest.sizes[loop] for loop in self.shared)
        return times * blocks * self.panels >= 4 * self.threads
