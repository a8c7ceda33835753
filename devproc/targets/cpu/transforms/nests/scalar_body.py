"""The body of a `linalg` op, inlined for one element."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Block, SSAValue

from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp
from devproc.targets.cpu.transforms.nests.packed_elements import load_at


def inline_scalar_body(
    emitter: Emitter,
    op: StructuredOp,
    arguments: Sequence[SSAValue | None],
    dims: Sequence[SSAValue],
) -> list[SSAValue]:
    """Emit the body with these arguments (None if unused); returns the yielded
    values."""
    block = op.body.block
    values: dict[SSAValue, SSAValue] = {
        argument: value
        for argument, value in zip(block.args, arguments, strict=True)
        if value is not None
    }
    *ops, yield_op = block.ops
    for inner in ops:
        if isinstance(inner, IndexOp):
            values[inner.results[0]] = dims[inner.dim.value.data]
        elif isinstance(inner, memref.LoadOp):
            indices = [values.get(index, index) for index in inner.indices]
            values[inner.res] = load_at(emitter, inner.memref, indices)
        else:
            emitter.append(inner.clone(values))
    return [values.get(value, value) for value in yield_op.operands]


def inline_region(
    emitter: Emitter, block: Block, arguments: Sequence[SSAValue]
) -> list[SSAValue]:
    """Emit the ops of a region with these arguments; returns the yielded values."""
    values: dict[SSAValue, SSAValue] = {}
    values |= zip(block.args, arguments, strict=True)
    *ops, yield_op = block.ops
    for inner in ops:
        emitter.append(inner.clone(values))
    return [values.get(value, value) for value in yield_op.operands]
