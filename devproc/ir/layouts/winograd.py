"""The matrices of Winograd's minimal filtering F(m, r), of images F(m x m, r x r).

m outputs of a correlation with r taps need m + r - 1 products (Lavin and Gray, "Fast
algorithms for convolutional neural networks", 2015): y = A^T [(G g) * (B^T d)], with
Toom-Cook points p. The factor of a point, 1 / product of (p - q), may be part of any of the
three matrices. Here A has those of p and -p, whose sum it multiplies anyway, and B that of
0, which is 1 or -1. So G holds only powers of the points: with few tiles, a kernel spends
as much time transforming filters as multiplying. For F(4, 3) the points 0, +-1/sqrt(2),
+-sqrt(2) have a third of the error of the usual 0, +-1, +-2 (Barabasz et al., "Error analysis
and improving the accuracy of Winograd convolution", 2020, on the influence of the points);
for F(4, 4) three pairs without 0 have half of the error of two pairs with 0 and 1.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    # The DSL imports this module and starts faster without NumPy.
    import numpy as np

Matrix: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"

POINTS = {
    4: (0.0, 1.0, -1.0),
    6: (0.0, 0.5**0.5, -(0.5**0.5), 2.0**0.5, -(2.0**0.5)),
    7: (0.5, -0.5, 1.0, -1.0, 2.0, -2.0),
}
"""Products m + r - 1 -> the finite points; the last point is infinity."""

TILES = (2, 4)
"""Widths m of a tile of an image."""

TAPS = 3
"""Width of the filters of an image."""

LINE_TILE, LINE_TAPS = 4, (3, 4)
"""Pixels of a tile along a line, and taps of a filter along it."""

DEPTH = 16
"""Most channels processed at a time: their transformed filters, for a panel and a third of
the points, leave most of the L1 cache free. Few products per accumulator also keep the
error below four times that of a direct convolution."""

BLOCK_BYTES = 704 * 1024
"""Memory of a block: its transformed tiles and the products of a panel. It fits into the L2
cache together with the filters being read."""


def points_of(tile: int, taps: int = TAPS) -> int:
    """Products along one dimension: m + r - 1."""
    return tile + taps - 1


def line_taps(taps: int, stride: int) -> int:
    """Taps r of each of `stride` phases of a filter along a line, the last one padded."""
    return -(-taps // stride)


def depth_of_a_part(channels: int, lanes: int) -> int:
    """Channels whose filters are transformed at a time: whole vectors, at most `DEPTH`."""
    return max(
        depth for depth in range(lanes, DEPTH + 1, lanes) if channels % depth == 0
    )


def tiles_of_a_block(tile: int, channels: int, width: int) -> int:
    """Tiles of a block, in float32: an odd number; 0 if not even one fits."""
    one = 4 * points_of(tile) ** 2 * (channels + width)
    count = BLOCK_BYTES // one
    return count if count % 2 else max(0, count - 1)


def _polynomial(roots: list[float], size: int) -> Matrix:
    """Coefficients of the product of (x - root), lowest first, of `size` numbers.

    Terms that cancel in exact arithmetic are set to zero.
    """
    import numpy as np

    coefficients = np.zeros(size)
    found = np.poly(roots)[::-1] if roots else np.ones(1)
    coefficients[: len(found)] = found
    coefficients[np.abs(coefficients) < 1e-12] = 0.0
    return coefficients


@cache
def _factors(count: int) -> Matrix:
    """1 / product of (p - q) over the other points q, for each finite point p."""
    import numpy as np

    points = np.array(POINTS[count])
    differences = points[:, None] - points
    np.fill_diagonal(differences, 1.0)
    return 1.0 / differences.prod(axis=1)


@cache
def input_matrix(tile: int, taps: int = TAPS) -> Matrix:
    """B^T: (m + r - 1, m + r - 1)."""
    import numpy as np

    size = points_of(tile, taps)
    points = list(POINTS[size])
    rows = [
        _polynomial([p for k, p in enumerate(points) if k != j], size)
        for j in range(len(points))
    ]
    if 0.0 in points:
        rows[0] *= _factors(size)[0]
    return np.stack([*rows, _polynomial(points, size)])


@cache
def filter_matrix(tile: int, taps: int = TAPS) -> Matrix:
    """G: (m + r - 1, r)."""
    import numpy as np

    powers, points = np.arange(taps), np.array(POINTS[points_of(tile, taps)])
    return np.stack([*(points[:, None] ** powers), (powers == taps - 1) * 1.0])


@cache
def output_matrix(tile: int, taps: int = TAPS) -> Matrix:
    """A^T: (m, m + r - 1)."""
    import numpy as np

    size = points_of(tile, taps)
    points = np.array(POINTS[size])
    factors = np.where(points == 0.0, 1.0, _factors(size))
    matrix = np.zeros((tile, size))
    for row in range(tile):
        matrix[row, :-1] = factors * points**row
    matrix[-1, -1] = 1.0
    matrix[np.abs(matrix) < 1e-12] = 0.0
    return matrix
