"""Analysis of the values of a program that split along its batch, op by op."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from devproc.dialects.nn.base import NNOp, ints
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp, SliceOp, TransposeOp
from devproc.ir.program.state import state_name
from devproc.ir.types import AnyTensor, tensor_of
from devproc.ir.weights.prepare import prepared_index
from devproc.op_rules.facets.tables import BATCH, rule_of
from devproc.transforms.placed.batch.batch_cost import best_part, is_anchor, traffic_of

MOVES = (ExpandOp, ReshapeOp, SliceOp, TransposeOp)
"""Ops of one operand that only move elements."""


def batch_of(main: FuncOp) -> int:
    """The first dimension of all inputs; 1 where they have none in common."""
    if any(state_name(row) is not None for row in main.arg_attrs or ()):
        return 1
    shapes = [tensor_of(value).get_shape() for value in main.body.block.args]
    sizes = {shape[0] if shape else 1 for shape in shapes}
    return sizes.pop() if len(sizes) == 1 else 1


@dataclass
class BatchValues:
    """The values of a program that are the concatenated values of its parts.

    See `devproc.op_rules.base.batches`; includes the values of `@prepare` that are
    equal for all items.
    """

    main: FuncOp
    prepare: FuncOp | None
    batch: int
    splits: set[SSAValue] = field(default_factory=set[SSAValue])
    """Values that are the concatenated values of the parts."""
    positions: set[SSAValue] = field(default_factory=set[SSAValue])
    """Values that split except that they are indices into the batch; in a part, they
    count from the first item of the part."""
    needs: dict[Operation, Sequence[bool]] = field(
        default_factory=dict[Operation, Sequence[bool]]
    )

    def __post_init__(self) -> None:
        if self.prepare is not None:
            self.read(self.prepare.body.block)
        self.splits |= set(self.main.body.block.args)
        self.read(self.main.body.block)

    @property
    def all_outputs_split(self) -> bool:
        """Whether all outputs split."""
        last = self.main.body.block.last_op
        assert last is not None
        return all(value in self.splits for value in last.operands)

    def read(self, block: Block) -> None:
        """Find what splits, op by op."""
        fixed: set[SSAValue] = set()
        for op in block.ops:
            if all(operand in fixed for operand in op.operands):
                fixed.update(op.results)
            if not all(self.divides(tensor_of(value)) for value in op.results):
                continue
            if isinstance(op, WeightOp | ConstantOp):
                self.read_constant(op)
            elif isinstance(op, NNOp):
                self.read_op(op, fixed)

    def divides(self, type_: AnyTensor) -> bool:
        """Whether a value of this type can split."""
        shape = type_.get_shape()
        return bool(shape) and shape[0] % self.batch == 0

    def read_constant(self, op: WeightOp | ConstantOp) -> None:
        """Splat constants split, as do values that `@prepare` computes from them."""
        if isinstance(op, WeightOp):
            source = self.prepared(op)
            self.splits |= {op.result} if source in self.splits else set()
            self.positions |= {op.result} if source in self.positions else set()
        elif len(op.value) and op.value.is_splat():
            self.splits.add(op.result)
        elif list(op.value.get_values()) == list(range(self.batch)):
            self.positions.add(op.result)

    def read_op(self, op: NNOp, fixed: set[SSAValue]) -> None:
        """Apply the rule of an op."""
        rule = rule_of(BATCH, op)
        needs = None if rule is None else rule(op)
        operands = op.operands
        if isinstance(op, MOVES) and needs == [True] and operands[0] in self.positions:
            self.positions.update(op.results)
        elif isinstance(op, GatherOp) and self.selects_rows(op):
            needs = [True] * len(operands)
            self.splits.update(op.results)
        elif needs is not None and all(
            value in (self.splits if need else fixed)
            for value, need in zip(operands, needs, strict=True)
        ):
            self.splits.update(op.results)
        else:
            return
        self.needs[op] = needs or ()

    def selects_rows(self, op: GatherOp) -> bool:
        """Whether each item's indices along the first axis equal its batch index."""
        axes = ints(op.axes)
        if 0 not in axes or tensor_of(op.operand).get_shape()[0] != self.batch:
            return False
        own = op.indices[axes.index(0)]
        others = [op.operand, *(index for index in op.indices if index is not own)]
        return own in self.positions and all(value in self.splits for value in others)

    def prepared(self, op: WeightOp) -> SSAValue | None:
        """The result of `@prepare` that a weight stands for."""
        index = prepared_index(op.weight_name)
        if index is None or self.prepare is None:
            return None
        last = self.prepare.body.block.last_op
        assert last is not None
        return last.operands[index]

    def best_part(self) -> int:
        """The number of items of a part, by the cost model of memory traffic."""
        traffic = [
            traffic_of(
                op, [v for v, need in zip(op.operands, needs) if need], self.batch
            )
            for op, needs in self.needs.items()
            if is_anchor(op)
        ]
        return best_part(traffic, self.batch)
