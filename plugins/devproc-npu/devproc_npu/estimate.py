"""Cycles of a function without running it."""

from __future__ import annotations

from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from devproc.dialects.nn.base import ints
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
from devproc_npu.machine import COLUMNS, MACHINE
from devproc_npu.tiling import estimate, parts


def function_cycles(function: FuncOp) -> float:
    """Of all ops, one after another."""
    return sum(map(op_cycles, function.body.block.ops))


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
    size, rows = byte_count(type_), 0
    if isinstance(op, TransposeOp):
        order, shape = ints(op.permutation), type_.get_shape()
        rows = prod(shape[:-1] if order[-1] == len(order) - 1 else shape)
    elif isinstance(owner, NpuOp | TransposeOp):
        # The image is inside of its border already.
        size = byte_count(tensor_of(op.result)) - size
    bus = size / _bandwidth(op)
    return max(bus, rows / MACHINE.rows) + bus + 2 * MACHINE.latency


def _bandwidth(op: Operation) -> int:
    is_bf16 = tensor_of(op.operands[0]).element_type == BF16
    return MACHINE.bandwidth * (2 if is_bf16 else 1)
