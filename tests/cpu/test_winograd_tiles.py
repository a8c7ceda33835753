"""Where tiles lie, and which of them need the products of the first points."""

from __future__ import annotations

import pytest

from devproc.targets.cpu.algorithms.winograd.plan import grid_of
from devproc.targets.cpu.algorithms.winograd.tiles import TileLine


@pytest.mark.parametrize(
    ("length", "size", "count", "late", "overlap"),
    [
        (16, 4, 4, 0, 0),
        (4, 4, 1, 0, 0),
        (15, 4, 4, 1, 1),
        (14, 4, 4, 2, 1),
        (13, 4, 4, 3, 1),
        # Three tiles of four could only be one pixel over each of two neighbours.
        (9, 4, 3, 1, 3),
        (5, 4, 2, 1, 3),
        (7, 2, 4, 1, 1),
    ],
)
def test_late_tiles(
    length: int, size: int, count: int, late: int, overlap: int
) -> None:
    line = TileLine(length, size)
    assert (line.count, line.late, line.overlap) == (count, late, overlap)
    assert count * size - late * overlap == length


def test_tiles_that_need_a_point_are_consecutive() -> None:
    """Of 14 x 14 pixels, two of four lines of tiles are late, and two of four columns."""
    line = TileLine(14, 4)
    grid = grid_of(1, line, line, most=17)
    assert grid.by_need
    assert grid.needing(False, False) == range(16)
    assert grid.needing(True, False) == range(8)
    assert grid.needing(False, True) == range(4, 12)
    assert grid.needing(True, True) == range(4, 8)


def test_blocks_of_whole_images() -> None:
    line = TileLine(14, 4)
    grid = grid_of(6, line, line, most=40)
    assert (grid.blocks, grid.block, grid.by_need) == (3, 32, True)
    assert grid.needing(True, True) == range(8, 16)


@pytest.mark.parametrize(
    ("images", "length", "most"),
    [
        # No tile is late; an image is no block; images leave blocks half empty.
        (1, 16, 100),
        (2, 14, 15),
        (5, 14, 30),
    ],
)
def test_blocks_of_any_tiles(images: int, length: int, most: int) -> None:
    line = TileLine(length, 4)
    grid = grid_of(images, line, line, most)
    assert not grid.by_need
    assert grid.block <= most
    assert grid.needing(True, True) == range(grid.block)
