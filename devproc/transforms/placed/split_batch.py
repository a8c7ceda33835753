"""Splits a batch into parts if its values do not fit the caches."""

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

from devproc.dialects.dev import is_for_host_alone
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
    """The constant of this type with the first elements of another."""
    content = op.value.data.data
    count = len(content) * type_.element_count() // len(op.value)
    value = DenseIntOrFPElementsAttr(cast(Any, type_), BytesAttr(content[:count]))
    return ConstantOp(value, type_)


@dataclass
class Cut:
    """Rewrites a program to compute one of so many parts."""

    values: BatchValues
    parts: int
    made: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """One part of a value, by the value."""

    def apply(self) -> None:
        """Rewrite the body and the signature of `@main`."""
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
        """The ops that must be rebuilt for one part, in order."""
        found: list[Operation] = []
        for op in reversed(list(block.ops)):
            if values.isdisjoint(op.results):
                continue
            needs = self.values.needs.get(op, ())
            values |= {v for v, need in zip(op.operands, needs) if need}
            found.append(op)
        return found[::-1]

    def cut_prepare(self, weights: Sequence[WeightOp]) -> None:
        """Add one part of weights that `@prepare` computes as further results of it."""
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
        """Build an op for one part, before the original."""
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
    """Split a batch into parts so that the values between ops stay in cache.

    Applies to programs that run on the CPU only and whose ops are independent for each
    item of the batch. `@main` then takes and returns one part, `dev.parts` is their
    number, and a call of the program runs it for each part, in order. Values that are
    equal for all items shrink too, including those of `@prepare`. `items` is the size
    of a part (0: the one with the least memory traffic, see `batch_cost.py`).

    Before:

    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        cpu = #cpu.machine<vector_bits = 512>>} {
      func.func @main(%x: tensor<2x256x56x56xf32>) -> tensor<2x256x56x56xf32> {
        %m = nn.max_pool2d %x kernel [3, 3] stride [1, 1] padding [1, 1] dilation [1, 1] ceil 0
          : (tensor<2x256x56x56xf32>) -> tensor<2x256x56x56xf32>
        func.return %m : tensor<2x256x56x56xf32>
      }
    }
    ```

    After:

    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        cpu = #cpu.machine<vector_bits = 512>>} {
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
        if not is_for_host_alone(op):
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
