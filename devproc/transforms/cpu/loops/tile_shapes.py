"""How large a register tile is, and how rows are split into tiles."""

from __future__ import annotations

from dataclasses import dataclass

from devproc.dialects.dev import TargetAttr

MAX_VECTORS = 4
"""Vectors side by side in a tile at most."""

LEAST_ACCUMULATORS = 10
"""Sums of a tile that a smaller height must leave: two multiply-adds begin in each cycle,
and end four or five cycles later."""


def tile_rows(vectors: int, target: TargetAttr) -> int:
    """Rows of the largest tile: accumulators, one row of the panel and a spare fit.

    Without a fused multiply-add, the product takes one more register. More than 12 rows
    gain nothing, more than 8 with 3 vectors neither.
    """
    spare = 2 if "fma" in target.missing_names else 1
    free = target.vector_registers.data - vectors - spare
    return max(1, min(free // max(1, vectors), 8 if vectors >= 3 else 12))


@dataclass(frozen=True)
class RowSplit:
    """Rows in `tall` tiles of `height`, and after them `short` tiles of `rest` rows."""

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

        Of one height, where a large one divides the rows: that is half of the code, and
        no slower. Else the fewest, of nearly equal height.
        """
        least = max(most // 2 + 1, -(-accumulators // vectors))
        even = (h for h in range(most, least - 1, -1) if rows % h == 0)
        split = RowSplit.of(rows, next(even, -(-rows // -(-rows // most))))
        assert split is not None
        return split

    @staticmethod
    def aligned(rows: int, height: int) -> RowSplit:
        """Tiles of packed rows, whose panels this height divides; one has the rest."""
        rest = rows % height
        return RowSplit(rows // height, height, int(rest > 0), rest)
