"""Regions on the simulator and on the TOSA reference model: equal, bit for bit.

Convolution, bias, rescale by channel and relu; matrix product and rescale; residual sum
with its three rescales and relu. Values are random over the whole range of int8, or -128
and 127 alone; multipliers cover their range, shifts bring results of all sizes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from devproc_npu.isa import Add, Config, Fence, Load, Queue, Store, Type, encode
from devproc_npu.machine import COLUMNS, Machine
from devproc_npu.shapes import Convolution
from devproc_npu.simulator import simulate
from devproc_npu.tiling import best_tiling
from environment import VELA, Environment, arguments, made
from layers import channel_blocks, run
from numpy.typing import NDArray
from tosa_graph import Graph

Int8 = NDArray[np.int8]


@dataclass
class Values:
    """Random parameters and operands."""

    random: np.random.Generator
    extremes: bool

    def int8(self, *shape: int) -> Int8:
        """Values of the whole range, or its two ends."""
        if self.extremes:
            return self.random.choice(np.array([-128, 127], np.int8), shape)
        return self.random.integers(-128, 128, shape, np.int8)

    def scales(
        self, count: int, low: int, high: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Multipliers of 31 bits, and shifts from `low` to `high`."""
        multiplier = self.random.integers(1 << 30, 1 << 31, count)
        if self.extremes:
            multiplier = self.random.choice([1 << 30, (1 << 31) - 1], count)
        shift = self.random.integers(low, high + 1, count)
        return multiplier.astype(np.int32), shift.astype(np.int8)


def convolution(environment: Environment, values: Values) -> tuple[Int8, Int8]:
    """Convolution 3x3 with stride 2, bias, rescale by channel, relu."""
    batch, height, width, channels, columns, padding, stride = 2, 13, 9, 21, 37, 1, 2
    x = values.int8(batch, height, width, channels)
    weight = values.int8(columns, 3, 3, channels)
    bias = values.random.integers(-(1 << 20), 1 << 20, columns).astype(np.int32)
    multiplier, shift = values.scales(columns, 31, 62)
    graph = Graph()
    sums = graph.conv2d(graph.input(x.shape), weight, bias, stride, [padding] * 4)
    result = graph.clamp(graph.rescale(sums, multiplier, shift, "i8"), 0, 127)
    _, lines, pixels, _ = graph.shapes[result]
    c = Convolution(lines, pixels, columns, channels, (3, 3), stride, images=len(x))
    border = ((0, 0), (padding, padding), (padding, padding), (0, 0))
    packed = np.ascontiguousarray(
        weight.reshape(columns, 9, channels).transpose(1, 2, 0)
    )
    operands = (np.pad(x, border), packed, channel_blocks(bias, multiplier, shift))
    tiling = best_tiling(c, Machine(), Type.INT8)
    ours, _ = run(c, tiling, Machine(), operands, (0, 127))
    return ours, graph.results(environment, result, [x])


def product(environment: Environment, values: Values) -> tuple[Int8, Int8]:
    """Batch of matrix products, rescale."""
    batch, m, n, k = 3, 45, 70, 83
    a, b = values.int8(batch, m, k), values.int8(batch, k, n)
    multiplier, shift = values.scales(1, 38, 46)
    graph = Graph()
    sums = graph.matmul(graph.input(a.shape), graph.input(b.shape))
    result = graph.rescale(sums, multiplier, shift, "i8")
    channels = channel_blocks(
        np.zeros(n, np.int32), np.repeat(multiplier, n), np.repeat(shift, n)
    )
    c = Convolution(1, m, n, k, constant=False, images=batch)
    tiling = best_tiling(c, Machine(), Type.INT8)
    ours, _ = run(c, tiling, Machine(), (a[:, None], b[:, None], channels))
    return ours[:, 0], graph.results(environment, result, [a, b])


def residual(environment: Environment, values: Values) -> tuple[Int8, Int8]:
    """Residual sum: rescales of both operands and of the sum, relu."""
    rows, columns = 111, 67
    left, right = values.int8(rows, columns), values.int8(rows, columns)
    # To 20 bits and more below the point, as quantised models do; back with 21 to 28 less.
    scales = [values.scales(1, 11, 14) for _ in range(2)] + [values.scales(1, 48, 52)]
    graph = Graph()
    wide = [
        graph.rescale(graph.input(left.shape), *scale, "i32") for scale in scales[:2]
    ]
    result = graph.clamp(graph.rescale(graph.add(*wide), *scales[2], "i8"), 0, 127)
    words = np.array([int(v[0]) for scale in scales for v in scale], np.int32)
    out, size = np.zeros(left.shape, np.int8), left.size
    whole = (1, 1, size, 0, 0, 0, 0)
    program = [
        Config(Type.INT8),
        Load(0, 0, 0, *whole),
        Load(1, 0, size, *whole),
        Load(2, 0, 2 * size, 1, 1, words.nbytes, 0, 0, 0, 0),
        Fence(Queue.VECTOR, Queue.LOAD, 3),
        *(
            Add(
                at, columns, size + at, columns, 3 * size + at, columns,
                rows, min(COLUMNS, columns - at), 2 * size, 0, 127,
            )
            for at in range(0, columns, COLUMNS)
        ),
        Fence(Queue.STORE, Queue.VECTOR, -(-columns // COLUMNS)),
        Store(3, 0, 3 * size, *whole),
    ]  # fmt: skip
    buffers = [v.view(np.uint8).ravel() for v in (left, right, words, out)]
    simulate(encode(program), buffers)
    return out, graph.results(environment, result, [left, right])


def main() -> None:
    """Compare, and print how many elements did. Raises AssertionError for a difference."""
    parser = arguments("vela", __doc__)
    parser.add_argument("--runs", type=int, default=10, help="of each region")
    options = parser.parse_args()
    environment = made(options.environment, VELA)
    print(
        "| region | runs | elements equal | of them neither 0 nor at a bound |\n|---|---|---|---|"
    )
    for region in (convolution, product, residual):
        equal = inside = 0
        for seed in range(options.runs):
            values = Values(np.random.default_rng(seed), seed % 2 == 1)
            ours, theirs = region(environment, values)
            np.testing.assert_array_equal(ours, theirs, err_msg=f"seed {seed}")
            equal += ours.size
            inside += int(((ours != 0) & (np.abs(ours + 0.5) < 127)).sum())
        name = (region.__doc__ or "").rstrip(".")
        print(f"| {name} | {options.runs} | {equal:,} | {inside:,} |")


if __name__ == "__main__":
    main()
