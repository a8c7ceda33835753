"""Moves slices towards the inputs, so that only used elements are computed."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from devproc.dialects.nn.base import NNOp, ints
from devproc.dialects.nn.shape import SliceOp
from devproc.ir.subset import Span, Subset, hull, sizes_of, whole
from devproc.ir.text.location import copy_location
from devproc.ir.types import tensor_of
from devproc.ir.verification.verify import PREPARE
from devproc.op_rules.facets.tables import SLICING, rule_of


def subset_of(op: SliceOp) -> Subset:
    """The part of its operand that a slice reads."""
    places = zip(*(ints(v) for v in (op.start, op.size, op.step)), strict=True)
    return tuple(Span(*place) for place in places)


def used_subset(value: SSAValue) -> Subset | None:
    """The part of a value that its uses read, if all are slices and it is smaller."""
    subsets: list[Subset] = []
    for use in value.uses:
        if not isinstance(use.operation, SliceOp):
            return None
        subsets.append(subset_of(use.operation))
    if not subsets or any(0 in sizes_of(subset) for subset in subsets):
        return None
    used = hull(subsets)
    return used if prod(sizes_of(used)) < tensor_of(value).element_count() else None


class BubbleUp:
    """The state of one block; `slices` holds the slices inserted before smaller ops."""

    def __init__(self, block: Block):
        self.block = block
        self.slices: dict[tuple[SSAValue, Subset], SSAValue] = {}

    def run(self) -> None:
        """Rewrite the ops in reverse, so that an op is visited after its uses."""
        for op in reversed(list(self.block.ops)):
            if isinstance(op, NNOp) and len(op.results) == 1:
                subset = used_subset(op.results[0])
                if subset is not None:
                    self._shrink(op, op.results[0], subset)

    def _shrink(self, op: NNOp, result: OpResult, subset: Subset) -> None:
        """Compute only this subset of the result."""
        if isinstance(op, SliceOp):
            places = zip(subset, subset_of(op), strict=True)
            outer = tuple(span.of(around) for span, around in places)
            small = self._slice(op.operand, outer, op)
        else:
            rule = rule_of(SLICING, op)
            needed = None if rule is None else rule(op, subset)
            if needed is None:
                return
            operands = [self._slice(v, part, op) for v, part in needed.parts]
            new = type(op).build_op(operands, {**op.properties, **needed.changed})
            copy_location(op, new)
            self.block.insert_op_before(new, op)
            small = new.results[0]
        small.name_hint = result.name_hint
        for use in list(result.uses):
            self._replace(use.operation, small, subset)
        self.block.erase_op(op)

    def _replace(self, user: Operation, small: SSAValue, subset: Subset) -> None:
        """Replace a slice of the result by a slice of the computed subset."""
        assert isinstance(user, SliceOp)
        places = zip(subset_of(user), subset, strict=True)
        inner = tuple(span.within(around) for span, around in places)
        user.result.replace_all_uses_with(self._slice(small, inner, user))
        self.block.erase_op(user)

    def _slice(self, value: SSAValue, subset: Subset, source: Operation) -> SSAValue:
        """This subset of a value, with one slice for all uses."""
        if subset == whole(tensor_of(value).get_shape()):
            return value
        if (value, subset) not in self.slices:
            starts, steps = zip(
                *((span.start, span.step) for span in subset), strict=True
            )
            new = SliceOp.of(value, starts, sizes_of(subset), steps)
            copy_location(source, new)
            if isinstance(value, OpResult):
                self.block.insert_op_after(new, value.op)
            else:
                assert self.block.first_op is not None
                self.block.insert_op_before(new, self.block.first_op)
            self.slices[value, subset] = new.result
        return self.slices[value, subset]


@dataclass(frozen=True)
class BubbleUpSlicesPass(ModulePass):
    """Compute only the part of a value that is used.

    A classifier uses only the first token of its last layer, a language model only the
    last one: the other tokens need no norm, product or query there. An op whose uses
    are all slices is applied to slices of its operands instead (`devproc.op_rules`),
    the smallest that cover the uses. One reverse walk rather than a pattern: it visits
    an op after all its users, and slices a value once for all of them.

    Before:
    ```mlir
    func.func @main(%x: tensor<5x8xf32>, %w: tensor<4x8xf32>) -> tensor<1x4xf32> {
      %y = nn.linear %x, %w : (tensor<5x8xf32>, tensor<4x8xf32>) -> tensor<5x4xf32>
      %r = nn.relu %y : (tensor<5x4xf32>) -> tensor<5x4xf32>
      %s = nn.slice %r from [0, 0] size [1, 4] step [1, 1] : (tensor<5x4xf32>) -> tensor<1x4xf32>
      func.return %s : tensor<1x4xf32>
    }
    ```

    After:
    ```mlir
    func.func @main(%x: tensor<5x8xf32>, %w: tensor<4x8xf32>) -> tensor<1x4xf32> {
      %0 = nn.slice %x from [0, 0] size [1, 8] step [1, 1] : (tensor<5x8xf32>) -> tensor<1x8xf32>
      %y = nn.linear %0, %w : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<1x4xf32>
      %r = nn.relu %y : (tensor<1x4xf32>) -> tensor<1x4xf32>
      func.return %r : tensor<1x4xf32>
    }
    ```
    """

    name = "bubble-up-slices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, FuncOp) and function.sym_name.data != PREPARE:
                for block in function.body.blocks:
                    BubbleUp(block).run()
