"""Cycles of a function without running it, from the parameters of the machine."""

from __future__ import annotations

from math import ceil, prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.shape import PadOp, TransposeOp
from devproc.ir.types import tensor_of
from devproc_npu.dialect import (
    BF16,
    MaxPoolOp,
    NpuOp,
    ProductOp,
    SumPoolOp,
    VectorOp,
    byte_count,
)
from devproc_npu.isa import Type
from devproc_npu.machine import COLUMNS, MACHINE, ROWS, Machine
from devproc_npu.shapes import Convolution, Tiling, parts


def function_cycles(function: FuncOp) -> float:
    """Of all ops, one after another; but the first weights of an op are loaded while those
    before run."""
    constants = (WeightOp, ConstantOp)
    ops = [op for op in function.body.block.ops if not isinstance(op, constants)]
    products = (op for op in ops[1:] if isinstance(op, ProductOp))
    return sum(map(op_cycles, ops)) - sum(map(_first_weights, products))


def _first_weights(op: ProductOp) -> float:
    """What the DMA engine takes for the first part of a weight."""
    assert op.tiles is not None
    _, right, _ = loads(op.shape, op.tiles.tiling, MACHINE, op.type)
    return right if op.shape.constant else 0.0


def op_cycles(op: Operation) -> float:
    """Of an op with its schedule."""
    if isinstance(op, ProductOp):
        assert op.tiles is not None
        return estimate(op.shape, op.tiles.tiling, MACHINE, op.type)
    if isinstance(op, VectorOp):
        return _vector(op)
    if isinstance(op, TransposeOp | PadOp):
        return _move(op)
    return 0.0


def _vector(op: VectorOp) -> float:
    """What the vector unit or the DMA engine takes, block by block."""
    assert op.block is not None
    shape, (height, width, _) = op.out.get_shape(), op.window
    taps, count = height * width, prod(shape)
    blocks = prod(map(parts, shape, op.block.sizes))
    if isinstance(op, MaxPoolOp):
        vector = count * max(1, taps - 1) / MACHINE.lanes
    elif isinstance(op, SumPoolOp):
        vector = count // shape[-1] * parts(shape[-1], COLUMNS) * (taps + 1.0)
    else:
        vector = count / MACHINE.lanes
    values = [v for v in (*op.operands, op.results[0])]
    moved = sum(byte_count(tensor_of(v)) for v in values)
    dma = moved / _bandwidth(op) + blocks * len(values) * MACHINE.issue
    first = dma / blocks / len(values)
    last = vector / blocks + first
    return max(dma, vector + 2 * first) + last / 2 + 2 * MACHINE.latency


def _move(op: TransposeOp | PadOp) -> float:
    """In and out again; a cycle for each row that moves alone."""
    type_, owner = tensor_of(op.operand), op.operand.owner
    size, rows, wait = byte_count(type_), 0, 2 * MACHINE.latency
    if isinstance(op, TransposeOp):
        order, shape = ints(op.permutation), type_.get_shape()
        rows = prod(shape[:-1] if order[-1] == len(order) - 1 else shape)
    elif isinstance(owner, NpuOp | TransposeOp):
        # The image is inside of its border already, which waits for nothing.
        size, wait = byte_count(tensor_of(op.result)) - size, 0
    bus = size / _bandwidth(op)
    return max(bus, rows / MACHINE.rows) + bus + wait


def _bandwidth(op: Operation) -> int:
    is_bf16 = tensor_of(op.operands[0]).element_type == BF16
    return MACHINE.bandwidth * (2 if is_bf16 else 1)


def estimate(c: Convolution, t: Tiling, machine: Machine, type: Type) -> float:
    """Cycles, by steps of one part of the sum of one tile of average size.

    A step takes what the array or the DMA engine takes, whichever is longer. As operands
    have two copies, two steps take at least one on the array, from the first weights to the
    last result, and one load with its latency; once per tile also the store of the results,
    and the longest step if they differ.
    Time left over where an operand is kept does not help the tiles that load it.
    """
    image = parts(c.lines, t.lines) * parts(c.width, t.width)
    tiles_n, tiles_k = parts(c.columns, t.columns), parts(c.channels, t.channels)
    rows, wait = c.lines * c.width / image, ROWS + machine.drain
    interval = rows + wait
    if machine.shadow:
        last = c.lines * c.width - (image - 1) * t.rows
        whole = max(t.rows, ROWS)
        interval = whole + (max(last, ROWS) - whole) / image
    wait = machine.latency + (wait if machine.shadow else 0)
    interval *= parts(c.columns, COLUMNS) / tiles_n
    array = parts(c.taps * c.channels, ROWS) / tiles_k * interval
    longest = parts(c.taps * t.channels, ROWS) * interval
    left, right, out = loads(c, t, machine, type)

    def tile(load: float) -> float:
        step = max(array, load + out / tiles_k, (array + load + wait) / 2)
        return tiles_k * step + max(0, longest + load + out + wait - 2 * step)

    tiles = c.images * image * tiles_n
    kept = tiles_n if c.constant else c.images * tiles_n
    fresh = {"left": c.images * image, "right": kept}.get(t.keeps, tiles)
    again = {"left": right, "right": left}.get(t.keeps, 0)
    cycles = fresh * tile(left + right) + (tiles - fresh) * tile(again)
    edges = left + right + out + 2 * machine.latency
    return cycles + edges + rows * t.columns / machine.lanes


def loads(
    c: Convolution, t: Tiling, machine: Machine, type: Type
) -> tuple[float, float, float]:
    """Cycles of the DMA engine for a part of either operand, and for a tile's results."""
    size, bandwidth = type.size, machine.bandwidth * type.size
    rows = c.lines * c.width / (parts(c.lines, t.lines) * parts(c.width, t.width))

    def moved(count: float, row: int, adjacent: bool = False) -> float:
        """Of rows in one move."""
        if adjacent:
            return machine.moved(1, ceil(count * row)) / bandwidth + machine.issue
        each = max(machine.moved(1, row) / bandwidth, 1 / machine.rows)
        return count * each + machine.issue

    run = c.kernel[1] if t.channels == c.channels else 1
    whole = t.channels == c.channels and c.taps == c.stride == 1
    left = c.taps // run * moved(rows, run * t.channels * size, whole)
    if c.constant:
        right = moved(1, c.taps * t.channels * t.columns * size)
    elif c.transposed:
        right = moved(t.columns, t.channels * size, t.channels == c.channels)
    else:
        right = moved(t.channels, t.columns * size, t.columns == c.columns)
    out = moved(rows, t.columns * c.result_size(type), t.columns == c.columns)
    return left, right, out
