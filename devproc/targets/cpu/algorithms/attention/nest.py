"""The nest of an attention: the seven ops of its normal form, and its sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.arith import ConstantOp, SelectOp
from xdsl.dialects.builtin import FloatAttr
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import BlockArgument

from devproc.algorithms.base import KernelOps
from devproc.targets.cpu.transforms.loops.kernels import (
    StructuredOp,
    loop_sizes,
    maps_of,
)
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit
from devproc.targets.cpu.transforms.nests.loop_space import Operand, operands_of


@dataclass(frozen=True)
class Step:
    """One op of the sequence with its operands."""

    op: StructuredOp
    inputs: list[Operand]
    outputs: list[Operand]

    @staticmethod
    def of(op: StructuredOp) -> Step:
        """The operands of an op with its maps."""
        maps, count = maps_of(op), len(op.inputs)
        return Step(
            op,
            operands_of(op.inputs, maps[:count]),
            operands_of(op.outputs, maps[count:]),
        )


class Attention:
    """The seven ops of the normal form (`ir/program/structured.py`) and their fills.

    `leading`: the sizes of the loops over heads. `depth`: elements of a query and of a
    key; `values`: elements of a value.
    """

    def __init__(self, ops: Sequence[StructuredOp]):
        self.ops = ops
        steps = [Step.of(op) for op in ops if not isinstance(op, FillOp)]
        self.scores, self.weighted, self.maxima, self.powers = steps[:4]
        self.sums, self.mixed, self.result = steps[4:]
        *leading, self.queries, self.keys, self.depth = loop_sizes(self.scores.op)
        self.leading = list(leading)
        self.values = loop_sizes(self.mixed.op)[-2]
        self.mask = mask_of(self.weighted)

    @property
    def heads(self) -> int:
        """Iterations of the loops over heads."""
        return prod(self.leading)

    @property
    def work(self) -> int:
        """Scalar operations of the two products."""
        products = self.queries * self.keys * (self.depth + self.values)
        return 2 * self.heads * products

    @property
    def lowest(self) -> float:
        """The initial value of a row's maximum."""
        (start,) = (
            op.inputs[0].owner
            for op in self.ops
            if isinstance(op, FillOp) and op.outputs[0] is self.maxima.outputs[0].origin
        )
        assert isinstance(start, ConstantOp)
        assert isinstance(start.value, FloatAttr)
        return start.value.value.data


def match(kernel: KernelOps) -> Iterator[Attention]:
    """The ops of a kernel of attention as one nest, if keys and values are floats."""
    nest = nest_of(kernel)
    if nest is not None and len(nest.scores.inputs) == 2:
        yield nest


def nest_of(kernel: KernelOps) -> Attention | None:
    """The nest of a kernel of attention."""
    if kernel.family != "attention":
        return None
    fills = sum(isinstance(op, FillOp) for op in kernel.ops)
    # Of each sum and maximum.
    is_whole = (fills, len(kernel.ops) - fills) == (4, 7)
    return Attention(kernel.structured) if is_whole else None


def heights_of(tiles: RowSplit) -> list[int]:
    """The number of queries in each kind of tile, the taller one first."""
    kinds = ((tiles.tall, tiles.height), (tiles.short, tiles.rest))
    return [height for count, height in kinds if count]


def mask_of(step: Step) -> Operand | None:
    """The boolean mask, contiguous along the keys, of the scores that are kept; the
    step sets all others to minus infinity. None if it has no such mask.
    """
    block = step.op.body.block
    last = block.last_op
    assert last is not None
    op = last.operands[0].owner
    if not isinstance(op, SelectOp) or not isinstance(op.rhs.owner, ConstantOp):
        return None
    other, mask = op.rhs.owner.value, op.cond
    if not isinstance(other, FloatAttr) or other.value.data != float("-inf"):
        return None
    if not isinstance(mask, BlockArgument) or mask.index >= len(step.inputs):
        return None
    found = step.inputs[mask.index]
    return (
        found
        if found.is_memref and found.stride(step.op.get_num_loops() - 1) == 1
        else None
    )
