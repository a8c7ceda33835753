"""Cache blocking of a contraction: which loop around the tiles is cut into blocks.

A block of the image stays in a core's own cache while it meets one panel of the weight after
the other (Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008).
Each block reads the whole weight; without blocks, each panel reads the whole image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from devproc.algorithms.register_tile.roles import Roles
from devproc.transforms.cpu.loops.vector_types import bytes_of
from devproc.transforms.cpu.nests.loop_space import Operand

BLOCK_BYTES = 128 * 1024
"""Bytes of the image that a block reads."""

BLOCK_ROWS = 256
"""Fewest rows of a block: every block reads the whole weight again."""


@dataclass(frozen=True)
class Cut:
    """The loop at `place`, of those around a tile, is cut into so many `blocks`."""

    place: int
    blocks: int


@dataclass(frozen=True)
class CacheBlocking:
    """Chooses which of the loops `around` a tile, outermost first, or of the rows, which
    are innermost, to cut. The `shared` loops outside of these have a weight for each
    iteration.
    """

    roles: Roles
    shared: Sequence[int]
    around: Sequence[int]
    panels: int
    threads: int

    def cut(self) -> Cut | None:
        """A cut of the innermost loop that does not fit a block; None where blocks do not
        pay."""
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
        """Bytes of an operand that one iteration of the shared loops reads, at least 1."""
        used = operand.map.used_dims().intersection(self.shared)
        times = prod(self.roles.nest.sizes[loop] for loop in used)
        return max(1, bytes_of(operand.value) // times)

    def _spreads(self, blocks: int) -> bool:
        """Whether there are enough blocks and panels for all threads: the tiles of a block
        run on one.
        """
        times = prod(self.roles.nest.sizes[loop] for loop in self.shared)
        return times * blocks * self.panels >= 4 * self.threads
