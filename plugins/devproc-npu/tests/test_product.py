"""Products and convolutions by tiles: values bit for bit, and the share of the peak."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from devproc_npu.isa import Type
from devproc_npu.lowering.moves import Place
from devproc_npu.lowering.product import Operands, Products, pack, packed
from devproc_npu.lowering.stream import Stream
from devproc_npu.machine import Machine
from devproc_npu.shapes import Convolution, Tiling, fits, scratchpad_bytes, slots
from devproc_npu.simulator import Counters, simulate
from devproc_npu.tiling import best_tiling, candidates
from test_simulator import channels_of

from devproc.quantized import scale_of

BLOCK = Type.INT8.channel_bytes


def run(
    c: Convolution, tiling: Tiling | None = None, machine: Machine | None = None
) -> Counters:
    """Simulate a convolution of random int8, and compare it with NumPy."""
    random, machine = np.random.default_rng(0), machine or Machine()
    tiling = tiling or best_tiling(c, machine, Type.INT8)
    height = (c.lines - 1) * c.stride + c.kernel[0]
    width = (c.width - 1) * c.stride + c.kernel[1]
    x = random.integers(-128, 128, (height, width, c.channels), np.int8)
    weight = random.integers(-128, 128, (c.taps, c.channels, c.columns), np.int8)
    bias = random.integers(-5000, 5000, c.columns).astype(np.int32)
    factors = random.uniform(1e-5, 1e-3, c.columns)
    out = np.zeros(c.lines * c.width * c.columns, np.uint8)
    operands = Operands(
        Place(0, 0, (0, width * c.channels, c.channels, 1)),
        Place(1, 0, (1,) if c.constant else (0, c.columns, 1)),
        Place(2, 0, (BLOCK,), BLOCK),
        Place(3, 0, (0, c.width * c.columns, c.columns, 1)),
    )
    stream = Stream(Type.INT8, machine)
    Products(stream, c, tiling, operands, (-128, 127)).emit()
    stored = pack(weight, tiling) if c.constant else weight.view(np.uint8).ravel()
    *_, last = packed(c, tiling).values()
    assert not c.constant or stored.size == last.stop
    buffers = [x.view(np.uint8).ravel(), stored, channels_of(bias, factors), out]
    counters = simulate(stream.binary(), buffers, machine)
    sums = np.zeros((c.lines, c.width, c.columns), np.int64)
    for tap in range(c.taps):
        y, z = divmod(tap, c.kernel[1])
        pixels = x[y:, z:][:: c.stride, :: c.stride][: c.lines, : c.width]
        sums += pixels.astype(np.int64) @ weight[tap].astype(np.int64)
    multiplier, shift = np.array([scale_of(f) for f in factors]).T
    wanted = ((sums + bias) * multiplier + (1 << (shift - 1))) >> shift
    assert np.array_equal(np.clip(wanted, -128, 127).ravel(), out.view(np.int8))
    return counters


@pytest.mark.parametrize(
    "c",
    [
        Convolution(1, 5, 7, 3),
        Convolution(1, 50, 40, 100),
        Convolution(1, 33, 20, 50, constant=False),
        Convolution(3, 5, 20, 19, (3, 3), 2),
        Convolution(5, 4, 17, 16, (1, 3)),
    ],
    ids=str,
)
def test_odd_sizes(c: Convolution) -> None:
    run(c)


@pytest.mark.parametrize("short", ["first", "last"])
@pytest.mark.parametrize("keeps", ["none", "left", "right"])
def test_tiles_in_all_directions(keeps: str, short: str) -> None:
    """Several tiles of lines, columns and channels, the last of each smaller, or the first
    of the lines."""
    run(Convolution(4, 6, 33, 40, (3, 3)), Tiling(3, 6, 16, 16, keeps, short))


def test_a_short_first_tile_hides_the_first_load() -> None:
    """Where the array waits for weights; a machine with shadow weights keeps it last."""
    c, machine = Convolution(1, 600, 32, 147), Machine(shadow=False)
    tiling = best_tiling(c, machine, Type.INT8)
    assert tiling.short == "first"
    assert best_tiling(c, Machine(), Type.INT8).short == "last"
    late = replace(tiling, short="last")
    assert run(c, tiling, machine).cycles < run(c, late, machine).cycles


def test_share_of_the_peak() -> None:
    """A quarter of a layer of BERT-base."""
    assert run(Convolution(1, 128, 192, 768)).utilization > 0.85


def test_tilings_that_fit_are_few_bytes() -> None:
    c, machine = Convolution(14, 14, 64, 64, (3, 3)), Machine()
    fitting = [t for t in candidates(c) if fits(c, t, machine, Type.INT8)]
    assert fitting
    assert best_tiling(c, machine, Type.INT8) in fitting
    with pytest.raises(ValueError, match="no tile"):
        best_tiling(Convolution(1, 600, 600, 5000), Machine(scratchpad=64), Type.INT8)


@pytest.mark.parametrize("type", Type)
def test_scratchpad_bytes_are_what_a_product_takes(type: Type) -> None:
    """For any tiling, also of odd sizes: one that fits never lacks room."""
    random, machine = np.random.default_rng(1), Machine()
    nowhere = Place(0, 0, (0, 0, 0, 0))
    operands = Operands(nowhere, nowhere, nowhere, nowhere)
    shapes = Convolution(1, 77, 65, 301), Convolution(9, 13, 50, 35, (3, 3), 2)
    for c in shapes:
        found = list(candidates(c))
        for t in random.choice(len(found), 200):
            if fits(c, found[t], machine, type):
                stream = Stream(type, machine)
                Products(stream, c, found[t], operands, (0, 0))
                assert stream.scratchpad.next == scratchpad_bytes(
                    slots(c, found[t], type).values()
                )
                assert stream.accumulator.next == found[t].sum_rows
