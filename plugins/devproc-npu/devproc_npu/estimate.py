"""Cycles of a function without running it."""

from __future__ import annotations

from math import ceil, prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from devproc.dialects.nn.shape import PadOp, TransposeOp
from devproc.ir.types import item_size, tensor_of
from devproc_npu.dialect import (
    BF16,
    AddOp,
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


def multiplications(function: FuncOp) -> int:
    """Multiply-accumulates of the array."""
    ops = function.body.block.ops
    return sum(op.shape.multiplications for op in ops if isinstance(op, ProductOp))


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
    """Twice the bytes, or a cycle for each element that moves alone."""
    type_ = tensor_of(op.operands[0])
    size, count = item_size(type_.element_type), prod(type_.get_shape())
    rows = count
    return 2 * count * size / _bandwidth(op) + (
        rows if isinstance(op, TransposeOp) else 0
    )


def _bandwidth(op: Operation) -> int:
    is_bf16 = tensor_of(op.operands[0]).element_type == BF16
    return MACHINE.bandwidth * (2 if is_bf16 else 1)


__all__ = ["AddOp", "NpuOp", "ceil", "function_cycles", "multiplications", "op_cycles"]
