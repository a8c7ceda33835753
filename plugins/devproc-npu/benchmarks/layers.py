"""Layers of BERT-base and ResNet-18, and their runs on the simulator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import numpy as np
from devproc_npu.isa import Type
from devproc_npu.lowering.moves import Place
from devproc_npu.lowering.product import Operands, Products, pack
from devproc_npu.lowering.stream import Stream
from devproc_npu.machine import COLUMNS, Machine
from devproc_npu.shapes import Convolution, Tiling, parts
from devproc_npu.simulator import Counters, simulate
from devproc_npu.tiling import best_tiling
from numpy.typing import NDArray


@dataclass(frozen=True)
class Layer:
    """A layer: `count` products or convolutions of one form, one after another."""

    name: str
    convolution: Convolution
    count: int = 1

    @property
    def whole(self) -> Convolution:
        """All of them as one."""
        return replace(self.convolution, images=self.count)

    @property
    def multiplications(self) -> int:
        """Multiply-accumulates of all of them."""
        return self.count * prod(self.gemm)

    @property
    def gemm(self) -> tuple[int, int, int]:
        """Rows, columns and depth of the product, that of im2col for a convolution."""
        c = self.convolution
        return c.lines * c.width, c.columns, c.taps * c.channels


def product(name: str, m: int, n: int, k: int, heads: int = 1) -> Layer:
    """A product; of several heads, both operands are results of other layers."""
    return Layer(name, Convolution(1, m, n, k, constant=heads == 1), heads)


def convolution(
    name: str, side: int, channels: int, columns: int, kernel: int, stride: int = 1
) -> Layer:
    """A convolution of square images, `side` pixels of results."""
    shape = Convolution(side, side, columns, channels, (kernel, kernel), stride)
    return Layer(name, shape)


BERT = (
    product("query, key, value, output", 128, 768, 768),
    product("feed forward, first", 128, 3072, 768),
    product("feed forward, second", 128, 768, 3072),
    product("scores, 12 heads", 128, 128, 64, 12),
    product("context, 12 heads", 128, 64, 128, 12),
)
RESNET = (
    convolution("3x3, 56", 56, 64, 64, 3),
    convolution("3x3, 28, stride 2", 28, 64, 128, 3, 2),
    convolution("3x3, 28", 28, 128, 128, 3),
    convolution("3x3, 14, stride 2", 14, 128, 256, 3, 2),
    convolution("3x3, 14", 14, 256, 256, 3),
    convolution("3x3, 7, stride 2", 7, 256, 512, 3, 2),
    convolution("3x3, 7", 7, 512, 512, 3),
)
RESNET_OTHER = (
    convolution("7x7, 112, stride 2", 112, 3, 64, 7, 2),
    convolution("1x1, 28, stride 2", 28, 64, 128, 1, 2),
    convolution("1x1, 14, stride 2", 14, 128, 256, 1, 2),
    convolution("1x1, 7, stride 2", 7, 256, 512, 1, 2),
    product("classifier", 1, 1000, 512),
)


def channel_blocks(
    bias: NDArray[np.int32], multiplier: NDArray[np.int32], shift: NDArray[np.int8]
) -> NDArray[np.uint8]:
    """The parameters that `Requantize` reads, 16 columns after another."""
    padding = (0, -len(bias) % COLUMNS)
    # Shifts are from 2 on, those of columns that do not exist too.
    shifts = np.pad(shift, padding, constant_values=2)
    padded = (np.pad(bias, padding), np.pad(multiplier, padding), shifts)
    blocks = [a.reshape(-1, COLUMNS).view(np.uint8) for a in padded]
    return np.concatenate(blocks, axis=1).ravel()


def run(
    c: Convolution,
    tiling: Tiling,
    machine: Machine,
    operands: tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.uint8]],
    bounds: tuple[int, int] = (-128, 127),
) -> tuple[NDArray[np.int8], Counters]:
    """Several convolutions of a form on the simulator, in one program.

    Operands: images of shape (count, height, width, channels) with their padding, weights
    (taps, channels, columns), of products that are no weights (count, 1, channels,
    columns), and the parameters of the columns. Results: (count, lines, width, columns).
    """
    left, right, channels = operands
    out = np.zeros((len(left), c.lines, c.width, c.columns), np.int8)
    depth, block = c.channels * c.columns, Type.INT8.channel_bytes
    stream = Stream(Type.INT8, machine)
    places = Operands(
        Place(0, 0, left.strides),
        Place(1, 0, (1,) if c.constant else (depth, c.columns, 1)),
        Place(2, 0, (block,), block),
        Place(3, 0, out.strides),
    )
    Products(stream, c, tiling, places, bounds).emit()
    stored = pack(right, tiling) if c.constant else right.view(np.uint8).ravel()
    result = out.view(np.uint8).ravel()
    buffers = [left.view(np.uint8).ravel(), stored, channels, result]
    return out, simulate(stream.binary(), buffers, machine)


def measured(
    layer: Layer, machine: Machine, tiling: Tiling | None = None
) -> tuple[Tiling, Counters]:
    """A run of a layer on zeros: cycles do not depend on values."""
    c = layer.whole
    tiling = tiling or best_tiling(c, machine, Type.INT8)
    sizes = zip((c.lines, c.width), c.kernel, strict=True)
    image = [(count - 1) * c.stride + kernel for count, kernel in sizes]
    left = np.zeros((layer.count, *image, c.channels), np.int8)
    copies = () if c.constant else (layer.count,)
    right = np.zeros((*copies, c.taps, c.channels, c.columns), np.int8)
    channels = np.zeros(parts(c.columns, COLUMNS) * Type.INT8.channel_bytes, np.uint8)
    return tiling, run(c, tiling, machine, (left, right, channels))[1]
