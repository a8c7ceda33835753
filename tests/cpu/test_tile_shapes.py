"""How rows are split into register tiles."""

from __future__ import annotations

import pytest

from devproc.targets.cpu.transforms.loops.tile_shapes import (
    LEAST_ACCUMULATORS,
    RowSplit,
)


@pytest.mark.parametrize(
    ("rows", "most", "vectors", "heights"),
    [
        (49, 8, 3, [7] * 7),
        (196, 12, 2, [7] * 28),
        (128, 12, 2, [8] * 16),
        (112, 6, 2, [6] * 17 + [5] * 2),  # 4 x 2 are too few sums
        (25, 12, 2, [9, 8, 8]),
        (197, 8, 3, [8] * 22 + [7] * 3),
        (1, 12, 1, [1]),
        (13, 12, 1, [7, 6]),
    ],
)
def test_one_height_where_it_divides(
    rows: int, most: int, vectors: int, heights: list[int]
) -> None:
    split = RowSplit.balanced(rows, most, vectors)
    found = [split.height] * split.tall + [split.rest] * split.short
    assert found == heights


@pytest.mark.parametrize("most", [1, 2, 4, 6, 8, 12])
@pytest.mark.parametrize("vectors", [1, 2, 3, 4])
def test_every_row_is_in_one_tile(most: int, vectors: int) -> None:
    for rows in range(1, 300):
        split = RowSplit.balanced(rows, most, vectors)
        assert split.tall * split.height + split.short * split.rest == rows
        assert 0 < split.height <= most
        fewest = -(-rows // most)
        if split.count > fewest:
            assert split.short == 0
            assert split.height * vectors >= LEAST_ACCUMULATORS
