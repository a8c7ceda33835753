"""Keeps the state of a program on the device that reads and writes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.dev import CopyOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.ir.program.state import state_name
from devproc.transforms.placed.main_block import rewrite_main

State = tuple[BlockArgument, int, CopyOp | None, CopyOp | None]
"""The argument of a state, its number among the results, and its copies to and from a
device; it has at least one of them."""


class StateOnDevice(RewritePattern):
    """Drop the copies of a state whose readers and writer are on one device.

    The argument and the result become values of that device. So do those of a state that
    a device only reads, and of one that it only writes: entries that share a state have it
    in one place. A state stays in memory of the host if it is read there, if its new value
    is also that of another state, or if nothing computes it.

    Before:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main(%s: !host {dev.name = "s", dev.state = "s"})
        -> (!host {dev.name = "y"}, !host {dev.name = "s", dev.state = "s"}) {
      %c = dev.copy %s : !host to !cuda
      %a = nn.exp %c {dev.place = #dev.place<"cuda", "">} : (!cuda) -> !cuda
      %r = dev.copy %a : !cuda to !host
      func.return %r, %r : !host, !host
    }
    ```

    After:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main(%s: !cuda {dev.name = "s", dev.state = "s"})
        -> (!host {dev.name = "y"}, !cuda {dev.name = "s", dev.state = "s"}) {
      %a = nn.exp %s {dev.place = #dev.place<"cuda", "">} : (!cuda) -> !cuda
      %r = dev.copy %a : !cuda to !host
      func.return %r, %a : !host, !cuda
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:
        states = list(_states_on_a_device(op))
        last = op.get_return_op()
        for argument, number, there, back in states:
            assert last is not None
            device = there.result.type if there else back.source.type if back else None
            assert device is not None
            placed = rewriter.replace_value_with_new_type(argument, device)
            if there is not None:
                rewriter.replace(there, [], [placed])
            last.operands[number] = placed if back is None else back.source
            if back is not None and back.result.first_use is None:
                rewriter.erase(back)
        if states:
            op.update_function_type()


def _states_on_a_device(function: FuncOp) -> Iterator[State]:
    last = function.get_return_op()
    rows = [state_name(row) for row in function.arg_attrs or ()]
    count = sum(name is not None for name in rows)
    if last is None or not count:
        return
    first = len(last.operands) - count
    for place, argument in enumerate(function.args[len(rows) - count :], first):
        uses = [(use.operation, use.index) for use in argument.uses]
        readers = {op for op, index in uses if (op, index) != (last, place)}
        if len(readers) > 1 or not all(isinstance(op, CopyOp) for op in readers):
            continue
        (there,) = readers or (None,)
        assert there is None or isinstance(there, CopyOp)
        if last.operands[place] is argument:
            if there is not None:
                yield argument, place, there, None
            continue
        back = last.operands[place].owner
        others = [v.owner for i, v in enumerate(last.operands) if first <= i != place]
        if (
            isinstance(back, CopyOp)
            and (there is None or there.result.type == back.source.type)
            and not isinstance(back.source.owner, Block | WeightOp | ConstantOp)
            and back not in others
        ):
            yield argument, place, there, back


@dataclass(frozen=True)
class PlaceStatesPass(ModulePass):
    """Keep a state on the device that reads and writes it, so that calls do not copy it."""

    name = "place-states"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_main(op, StateOnDevice())
