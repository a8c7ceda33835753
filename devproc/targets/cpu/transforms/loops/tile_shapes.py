"""The size of register tiles, and how rows are split into tiles."""

from __future__ import annotations

from dataclasses import dataclass

from devproc.dialects.dev import TargetAttr
from devproc.targets.cpu.machine.attribute import machine_of

MAX_VECTORS = 4
"""Most vectors of a row of a tile."""

LEAST_ACCUMULATORS = 10
"""Fewest sums of a tile when its height is reduced: two multiply-adds are issued per
cycle, with a latency of four or five cycles."""


def tile_rows(vectors: int, target: TargetAttr) -> int:
    """Rows of the largest tile whose accumulators, one row of the panel and a spare
    fit.

    Without a fused multiply-add, the product takes one more register. More than 12
    rows, or more than 8 with 3 vectors, do not pay.
    """
    spare = 2 if "fma" in machine_of(target).missing_names else 1
    free = machine_of(target).vector_registers.data - vectors - spare
    return max(1, min(free // max(1, vectors), 8 if vectors >= 3 else 12))


@dataclass(frozen=True)
class RowSplit:
    """Rows in `tall` tiles of `height`, followed by `short` tiles of `rest` rows."""

    tall: int
    height: int
    short: int
    rest: int

    @property
    def count(self) -> int:
        """All tiles."""
        return self.tall + self.short

    @property
    def text(self) -> str:
        """The tiles as a sum: "7 x 7", "2 x 9 + 1 x 8"."""
        parts = ((self.tall, self.height), (self.short, self.rest))
        return " + ".join(f"{count} x {rows}" for count, rows in parts if count)

    @staticmethod
    def of(rows: int, height: int) -> RowSplit | None:
        """The fewest tiles of this height or one less; None if there are none."""
        count = -(-rows // height)
        short = count * height - rows
        if short > count:
            return None
        return RowSplit(count - short, height, short, height - 1)

    @staticmethod
    def balanced(
        rows: int, most: int, vectors: int, accumulators: int = LEAST_ACCUMULATORS
    ) -> RowSplit:
        """Tiles of at most `most` rows by `vectors`.

        Of one height if a large one divides the rows, which halves the code at the same
        speed; else the fewest, of nearly equal height.
        """
        least = max(most // 2 + 1, -(-accumulators // vectors))
        even = (h for h in range(most, least - 1, -1) if rows % h == 0)
        split = RowSplit.of(rows, next(even, -(-rows // -(-rows // most))))
        assert split is not None
        return split

    @staticmethod
    def aligned(rows: int, height: int) -> RowSplit:
        """Tiles of packed rows, whose panels this height divides, and a remainder."""
        rest = rows % height
        return RowSplit(rows // height, height, int(rest > 0), rest)
