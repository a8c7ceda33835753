"""A batch whose values do not fit the caches runs part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import is_for_cpu_alone
from devproc.dialects.nn.base import int_array
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp, SliceOp
from devproc.ir.host.batch import part_count, set_part_count
from devproc.ir.text.location import copy_location
from devproc.ir.types import AnyTensor, tensor, tensor_of
from devproc.ir.weights.prepare import add_results, prepare_function
from devproc.transforms.placed.batch.batch_values import BatchValues, batch_of
from devproc.transforms.placed.main_block import erase_unused

SHAPES: Mapping[type[Operation], str] = {
    ExpandOp: "shape",
    ReshapeOp: "shape",
    SliceOp: "size",
}
"""The property that holds the shape of the result."""


def part_type(value: SSAValue, parts: int) -> AnyTensor:
    """The type of one part of a value."""
    type_ = tensor_of(value)
    first, *rest = type_.get_shape()
    return tensor(type_.element_type, (first // parts, *rest))


def first_elements(op: ConstantOp, type_: AnyTensor) -> ConstantOp:
    """The constant of this type with the first numbers of another."""
    content = op.value.data.data
    count = len(content) * type_.element_count() // len(op.value)
    value = DenseIntOrFPElementsAttr(cast(Any, type_), BytesAttr(content[:count]))
    return ConstantOp(value, type_)


@dataclass
class Cut:
    """Rewrites a program to one of so many parts."""

    values: BatchValues
    parts: int
    made: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """One part of a value, by the value."""

    def apply(self) -> None:
        """Replace what `@main` computes, takes and gives."""
        main = self.values.main
        block = main.body.block
        last = block.last_op
        assert last is not None
        wanted = self.wanted(block, set(last.operands))
        self.made.update((value, value) for value in block.args)
        weights = [op for op in wanted if isinstance(op, WeightOp)]
        self.cut_prepare(weights)
        for op in wanted:
            if op not in weights:
                self.cut_op(op)
        for index, value in enumerate(last.operands):
            last.operands[index] = self.made[value]
        erase_unused(block)
        for argument in list(block.args):
            type_ = part_type(argument, self.parts)
            Rewriter.replace_value_with_new_type(argument, type_)
        main.update_function_type()
        set_part_count(main, self.parts)

    def wanted(self, block: Block, values: set[SSAValue]) -> list[Operation]:
        """The ops that have to be made for one part, in order."""
        found: list[Operation] = []
        for op in reversed(list(block.ops)):
            if values.isdisjoint(op.results):
                continue
            needs = self.values.needs.get(op, ())
            values |= {v for v, need in zip(op.operands, needs) if need}
            found.append(op)
        return found[::-1]

    def cut_prepare(self, weights: Sequence[WeightOp]) -> None:
        """One part of weights that `@prepare` makes, as further results of it."""
        prepare, source = self.values.prepare, self.values.prepared
        values = {op: value for op in weights if (value := source(op))}
        if prepare is None or not values:
            return
        for op in self.wanted(prepare.body.block, set(values.values())):
            self.cut_op(op)
        added = add_results(prepare, [self.made[v] for v in values.values()])
        for (op, value), (key, digest) in zip(values.items(), added, strict=True):
            weight = WeightOp(key, digest, self.made[value].type)
            weight.location = op.location
            weight.result.name_hint = op.result.name_hint
            Rewriter.insert_op(weight, InsertPoint.before(op))
            self.made[op.result] = weight.result

    def cut_op(self, op: Operation) -> None:
        """Make an op for one part, in front of it."""
        types = [part_type(value, self.parts) for value in op.results]
        if isinstance(op, ConstantOp):
            new: Operation = first_elements(op, types[0])
        else:
            properties = dict(op.properties)
            if (name := SHAPES.get(type(op))) is not None:
                properties[name] = int_array(types[0].get_shape())
            new = type(op).create(
                operands=[
                    self.made[value] if need else value
                    for value, need in zip(
                        op.operands, self.values.needs[op], strict=True
                    )
                ],
                result_types=types,
                properties=properties,
                attributes=op.attributes,
            )
        copy_location(op, new)
        for old, result in zip(op.results, new.results, strict=True):
            result.name_hint = old.name_hint
            self.made[old] = result
        Rewriter.insert_op(new, InsertPoint.before(op))


@dataclass(frozen=True)
class SplitBatchPass(ModulePass):
    """A batch runs in parts where what its ops leave to one another then stays in caches.

    Only on the CPU alone, and only where every op works on each item of the batch by
    itself: `@main` then takes and gives one part, `dev.parts` says how many there are, and
    a call of the program calls it for each, in order. Values that are the same for every
    item shrink with it, also those of `@prepare`. `items` is the size of a part (0: the one
    with the least memory traffic, see `batch_cost.py`).

    Before:

    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
      func.func @main(%x: tensor<2x256x56x56xf32>) -> tensor<2x256x56x56xf32> {
        %m = nn.max_pool2d %x kernel [3, 3] stride [1, 1] padding [1, 1] dilation [1, 1] ceil 0
          : (tensor<2x256x56x56xf32>) -> tensor<2x256x56x56xf32>
        func.return %m : tensor<2x256x56x56xf32>
      }
    }
    ```

    After:

    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
      func.func @main(%x: tensor<1x256x56x56xf32>) -> tensor<1x256x56x56xf32>
          attributes {dev.parts = 2 : i64} {
        %m = nn.max_pool2d %x kernel [3, 3] stride [1, 1] padding [1, 1] dilation [1, 1] ceil 0
          : (tensor<1x256x56x56xf32>) -> tensor<1x256x56x56xf32>
        func.return %m : tensor<1x256x56x56xf32>
      }
    }
    ```
    """

    name = "split-batch"

    items: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not is_for_cpu_alone(op):
            return
        for function in op.ops:
            if not isinstance(function, FuncOp) or function.sym_name.data != "main":
                continue
            if (batch := batch_of(function)) < 2 or part_count(function) > 1:
                continue
            values = BatchValues(function, prepare_function(op), batch)
            if not values.all_outputs_split:
                continue
            parts = batch // (self.items or values.best_part())
            if parts > 1:
                Cut(values, parts).apply()
