"""Assigns a memory to each value, and copies it to others where it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from devproc.dialects.dev import CopyOp, OnAttr
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.ir.devices import HOST
from devproc.ir.types import AnyTensor, tensor_of, with_encoding
from devproc.transforms.placed.main_block import memory_at, rewrite_main


class InsertCopy(RewritePattern):
    """Place a value in the memory of its op's device, with a copy in each other memory
    where it is read.

    It is copied as soon as it is computed; between two devices other than the host, first to
    the host, and from there before the island that reads it. Inputs of the program are in host memory, a
    weight or constant in the memory where it is read first.

    Before:

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %a = nn.exp %x {dev.place = #dev.place<"cuda", "">} : (tensor<4xf32>) -> tensor<4xf32>
      func.return %a : tensor<4xf32>
    }
    ```

    After:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !host) -> !host {
      %c = dev.copy %x : !host to !cuda
      %a = nn.exp %c {dev.place = #dev.place<"cuda", "">} : (!cuda) -> !cuda
      %r = dev.copy %a : !cuda to !host
      func.return %r : !host
    }
    ```
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, FuncOp):
            ops = op.body.block.ops
            first = next(o for o in ops if not isinstance(o, WeightOp | ConstantOp))
            _place(op.args, HOST, InsertPoint.before(first), rewriter)
        elif isinstance(op, ReturnOp):
            function = op.parent_op()
            assert isinstance(function, FuncOp)
            function.update_function_type()
        else:
            memory = _memory_of(op)
            _place(op.results, memory, InsertPoint.after(op), rewriter)
            for value in _values_in(op):
                rewriter.replace_value_with_new_type(value, _on(value, memory))


def _memory_of(op: Operation) -> str:
    """The memory of an op's results."""
    if not isinstance(op, WeightOp | ConstantOp):
        return memory_at(op)
    readers = {use.operation for use in op.result.uses}
    if len(memories := {memory_at(reader) for reader in readers}) == 1:
        return memories.pop()
    assert op.parent is not None
    return next((memory_at(o) for o in op.parent.ops if o in readers), HOST)


def _place(
    values: Sequence[SSAValue],
    memory: str,
    point: InsertPoint,
    rewriter: PatternRewriter,
) -> None:
    """Set the memory of values, and copy them to each other one where they are used."""
    for value in tuple(values):
        placed = rewriter.replace_value_with_new_type(value, _on(value, memory))
        uses = [use for use in placed.uses if memory_at(use.operation) != memory]
        # A copy of a weight becomes a weight of its own.
        is_weight = isinstance(placed.owner, WeightOp | ConstantOp)
        copies: dict[str, SSAValue] = {}
        for use in uses:
            wanted = memory_at(use.operation)
            over_host = HOST not in (memory, wanted) and not is_weight
            if over_host and HOST not in copies:
                copies[HOST] = _copy(placed, HOST, point, rewriter)
            if wanted not in copies:
                source, at = placed, point
                if over_host:
                    source, at = copies[HOST], _before_readers(uses, wanted)
                copies[wanted] = _copy(source, wanted, at, rewriter)
            use.operation.operands[use.index] = copies[wanted]


def _copy(
    value: SSAValue, memory: str, point: InsertPoint, rewriter: PatternRewriter
) -> SSAValue:
    """A copy of a value in another memory."""
    copy = CopyOp(value, _on(value, memory))
    if isinstance(value.owner, Operation):
        copy.location = value.owner.location
    copy.result.name_hint = value.name_hint
    rewriter.insert(copy, point)
    return copy.result


def _before_readers(uses: Sequence[Use], memory: str) -> InsertPoint:
    """Before the island of the first reader in a memory.

    There the host waits for the copy that it has to have first; right after the value is
    computed it would also hold up the ops of its device that follow.
    """
    readers = {use.operation for use in uses if memory_at(use.operation) == memory}
    block = uses[0].operation.parent
    assert block is not None
    first = next(op for op in block.ops if op in readers)
    while (
        (before := first.prev_op) is not None
        and "dev.place" in before.attributes
        and memory_at(before) == memory
    ):
        first = before
    return InsertPoint.before(first)


def _values_in(op: Operation) -> Iterator[SSAValue]:
    """The values inside a loop."""
    for region in op.regions:
        yield from region.block.args
        for child in region.block.ops:
            yield from child.results
            yield from _values_in(child)


def _on(value: SSAValue, memory: str) -> AnyTensor:
    return with_encoding(tensor_of(value), OnAttr.get(memory))


@dataclass(frozen=True)
class InsertCopiesPass(ModulePass):
    """Make the memory of each value and each copy between devices explicit."""

    name = "insert-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_main(op, InsertCopy())
