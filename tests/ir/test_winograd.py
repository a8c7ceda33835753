"""Winograd's matrices: the identity holds exactly, and the floats are those numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
import torch
import torch.nn.functional as F

from devproc.dialects.dev import WinogradAttr, WinogradLineAttr
from devproc.dialects.nn.window import WinogradFilterOp, WinogradLineFilterOp
from devproc.ir.layouts.winograd import (
    LINE_TAPS,
    LINE_TILE,
    TAPS,
    TILES,
    Matrix,
    filter_matrix,
    input_matrix,
    line_taps,
    output_matrix,
    points_of,
    tiles_of_a_block,
)
from devproc.reference.window import REFERENCE
from tests.repository import parse
from tests.transforms.test_tensor_stage import main_of


def exact(matrix: Matrix) -> sympy.Matrix:
    """The numbers p + q * sqrt(2) that the floats stand for; each is one rounding off."""
    root = sympy.sqrt(2)
    rows = [
        [sympy.nsimplify(x, [root], tolerance=1e-13, rational=False) for x in row]
        for row in matrix.tolist()
    ]
    result = sympy.Matrix(rows)
    back = np.array(result.evalf(30).tolist(), dtype=np.float64)
    np.testing.assert_allclose(matrix, back, rtol=1e-15, atol=0)
    return result


@pytest.mark.parametrize(
    ("tile", "taps"),
    [*((tile, TAPS) for tile in TILES), *((LINE_TILE, taps) for taps in LINE_TAPS)],
)
def test_identity_is_exact(tile: int, taps: int) -> None:
    """y[i] = sum over a of g[a] * d[i + a], as polynomials in g and d."""
    size = points_of(tile, taps)
    image, filters = sympy.symbols(f"d:{size}"), sympy.symbols(f"g:{taps}")
    left: sympy.Matrix = exact(filter_matrix(tile, taps)) @ sympy.Matrix(filters)
    right: sympy.Matrix = exact(input_matrix(tile, taps)) @ sympy.Matrix(image)
    products = left.multiply_elementwise(right)
    total: sympy.Matrix = exact(output_matrix(tile, taps)) @ products
    found = total.applyfunc(sympy.expand)
    wanted = sympy.Matrix(
        [sum(g * image[i + a] for a, g in enumerate(filters)) for i in range(tile)]
    )
    assert found == wanted.applyfunc(sympy.expand)


@pytest.mark.parametrize("tile", TILES)
def test_two_dimensions(tile: int) -> None:
    """A nested transform is a 3x3 correlation, to float64's rounding."""
    numbers = torch.Generator().manual_seed(tile)
    image = torch.randn(points_of(tile), points_of(tile), generator=numbers).double()
    filters = torch.randn(TAPS, TAPS, generator=numbers).double()
    b, g, a = (
        torch.from_numpy(m(tile)) for m in (input_matrix, filter_matrix, output_matrix)
    )
    found = a @ ((g @ filters @ g.T) * (b @ image @ b.T)) @ a.T
    torch.testing.assert_close(
        found, F.conv2d(image[None, None], filters[None, None])[0, 0]
    )


@pytest.mark.parametrize(("tile", "width"), [(2, 4), (4, 16), (4, 5)])
def test_reference_of_the_filters(tile: int, width: int) -> None:
    """Element by element: panel, channel, tap, lane."""
    type_ = f"tensor<3x3x7x{3 * width}xf32>"
    result = f"tensor<3x7x{TAPS**2}x{width}xf32>"
    module = parse(
        f"func.func @main(%w: {type_}) -> {result} {{\n"
        f"%r = nn.winograd_filter %w as <{tile}, {width}> : ({type_}) -> {result}\n"
        f"func.return %r : {result}\n}}"
    )
    op = main_of(module).body.block.first_op
    assert isinstance(op, WinogradFilterOp)
    weight = torch.randn(3, 3, 7, 3 * width, generator=torch.Generator().manual_seed(0))
    meaning: Any = REFERENCE[WinogradFilterOp]
    (found,) = meaning(op, weight)
    assert tuple(found.shape) == op.result.type.get_shape()
    assert found.dtype == torch.float32
    rng = np.random.default_rng(0)
    for _ in range(50):
        i, a, b, c, o = (int(rng.integers(n)) for n in (3, TAPS, TAPS, 7, width))
        assert found[i, c, a * TAPS + b, o] == weight[a, b, c, i * width + o]


@pytest.mark.parametrize(("stride", "taps"), [(2, 7), (2, 8), (2, 5), (1, 4), (1, 3)])
def test_reference_of_lines(stride: int, taps: int) -> None:
    """The products at all points, transformed back, are the correlation of a line."""
    width, count = 5, line_taps(taps, stride)
    layout = WinogradLineAttr.get(stride, width)
    shape = layout.physical_shape((2, taps, 3, 2 * width))
    type_, result = f"tensor<2x{taps}x3x{2 * width}xf64>", "x".join(map(str, shape))
    module = parse(
        f"func.func @main(%w: {type_}) -> tensor<{result}xf64> {{\n"
        f"%r = nn.winograd_line_filter %w as <{stride}, {width}>"
        f" : ({type_}) -> tensor<{result}xf64>\n"
        f"func.return %r : tensor<{result}xf64>\n}}"
    )
    op = main_of(module).body.block.first_op
    assert isinstance(op, WinogradLineFilterOp)
    numbers = torch.Generator().manual_seed(taps)
    weight = torch.randn(2, taps, 3, 2 * width, generator=numbers).double()
    meaning: Any = REFERENCE[WinogradLineFilterOp]
    (found,) = meaning(op, weight)
    assert tuple(found.shape) == shape
    size = points_of(LINE_TILE, count) * stride
    image = torch.randn(1, 3, 2, size, generator=numbers).double()
    # (lines, pixels of a phase, terms): phases are like channels.
    terms = image[0].reshape(3, 2, -1, stride).permute(1, 2, 0, 3).flatten(2)
    b, a = (
        torch.from_numpy(m(LINE_TILE, count)) for m in (input_matrix, output_matrix)
    )
    products = torch.einsum("pi,hit,ophtw->pow", b, terms, found)
    result = torch.einsum("mp,pow->owm", a, products).flatten(0, 1)
    wanted = F.conv2d(image, weight.permute(3, 2, 0, 1), stride=(1, stride))
    torch.testing.assert_close(result, wanted[0, :, 0, :LINE_TILE])


def test_layout_is_the_shape_of_the_filters() -> None:
    layout = WinogradAttr.get(4, 32)
    assert layout.physical_shape((3, 3, 8, 96)) == (3, 8, 9, 32)


def test_no_tile_fits_a_block_of_many_channels() -> None:
    assert tiles_of_a_block(4, 64, 32) > 1
    assert tiles_of_a_block(2, 11264 - 32, 32) == 1
    assert tiles_of_a_block(2, 11264, 32) == 0
