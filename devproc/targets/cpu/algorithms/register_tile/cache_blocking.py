"""Cache blocking of a contraction: which loop around the tiles is split into blocks.

A block of the image stays in a core's private cache while all panels of the weight are
applied to it (Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication,
2008). Each block reads the whole weight; without blocks, each panel reads the whole
image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from devproc.targets.cpu.algorithms.register_tile.roles import Roles
from devproc.targets.cpu.transforms.loops.vector_types import bytes_of
from devproc.targets.cpu.transforms.nests.loop_space import Operand

BLOCK_BYTES = 128 * 1024
"""Bytes of the image that a block reads."""

BLOCK_ROWS = 256
"""Fewest rows of a block, since every block reads the whole weight again."""


@dataclass(frozen=True)
class Cut:
    """Splits the loop at `place`, of those around a tile, into `blocks`."""

    place: int
    blocks: int


@dataclass(frozen=True)
class CacheBlocking:
    """Chooses the loop to split: one of the loops `around` a tile, outermost first, or
    the rows, which are innermost. The outer `shared` loops index the weight, too.
    """

    roles: Roles
    shared: Sequence[int]
    around: Sequence[int]
    panels: int
    threads: int

    def cut(self) -> Cut | None:
        """A split of the innermost loop that exceeds a block; None if blocks do not
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
        """Bytes of an operand that one iteration of the shared loops reads, at least
        1."""
        used = operand.map.used_dims().intersection(self.shared)
        times = prod(self.roles.nest.sizes[loop] for loop in used)
        return max(1, bytes_of(operand.value) // times)

    def _spreads(self, blocks: int) -> bool:
        """Whether blocks and panels suffice for all threads; a block runs on one
        thread.
        """
        times = prod(self.roles.nest.sizes[loop] for loop in self.shared)
        return times * blocks * self.panels >= 4 * self.threads
