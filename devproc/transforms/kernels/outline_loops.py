"""Outlines each loop over launches into a function that the host program launches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import KernelAttr, LaunchOp, device_of
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.loop import LoopOp
from devproc.ir.devices import HOST
from devproc.ir.program.kernel_modules import LOOP
from devproc.ir.text.location import copy_location, location_name


def loops_of(op: Operation) -> Iterator[LoopOp]:
    """The loops in an op, inner ones first."""
    for region in op.regions:
        for child in list(region.block.ops):
            yield from loops_of(child)
            if isinstance(child, LoopOp):
                yield child


def with_weights_outside(loop: LoopOp) -> LoopOp:
    """Replace the loop with one whose invariants include all weights of its body, and
    exclude values that it does not read.
    """
    block = loop.body.block
    invariants = list(loop.invariants)
    for op in list(block.ops):
        if isinstance(op, WeightOp):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(loop))
            argument = block.insert_arg(op.result.type, len(block.args))
            argument.name_hint = op.result.name_hint
            op.result.replace_all_uses_with(argument)
            invariants.append(op.result)
    first = len(loop.sequences) + len(loop.initial)
    arguments = block.args[first:]
    unread = {a: v for a, v in zip(arguments, invariants, strict=True) if not a.uses}
    for argument in unread:
        block.erase_arg(argument)
    kept = [v for a, v in zip(arguments, invariants, strict=True) if a not in unread]
    steps, reverse = loop.step_count, loop.order.step < 0
    given = list(loop.sequences), list(loop.initial), kept
    new = LoopOp(steps, reverse, given, loop.detach_region(loop.body))
    copy_location(loop, new)
    Rewriter.replace_op(loop, new)
    for value in unread.values():
        if isinstance(value.owner, WeightOp) and not value.uses:
            Rewriter.erase_op(value.owner)
    return new


def outline(loop: LoopOp, name: str) -> FuncOp:
    """The function of a loop; its launch takes the loop's place."""
    types = [value.type for value in loop.operands]
    block = Block(arg_types=types)
    inside = loop.clone(dict(zip(loop.operands, block.args)))
    for index, (operand, argument) in enumerate(zip(loop.operands, block.args)):
        # A value that is passed twice has two arguments.
        inside.operands[index] = argument
        argument.name_hint = operand.name_hint
    block.add_ops([inside, ReturnOp(*inside.results)])
    function = FuncOp(name, (types, loop.result_types), Region(block), "private")
    device = device_of(loop.result_types[0]) or HOST
    function.attributes["dev.kernel"] = KernelAttr.get(device, LOOP, [loop.name])
    copy_location(loop, function)
    launch = LaunchOp(name, loop.operands, loop.result_types)
    copy_location(loop, launch)
    Rewriter.replace_op(loop, launch)
    return function


@dataclass(frozen=True)
class OutlineLoopsPass(ModulePass):
    """Outlines loops, which are then launched like kernels: a single step of the memory
    plan, and a single call of machine code.

    Before:

    ```mlir
    func.func @main(%x: tensor<3x4xf32, #dev.on<"cpu">>, %h: tensor<4xf32, #dev.on<"cpu">>)
        -> tensor<4xf32, #dev.on<"cpu">> {
      %r = nn.loop steps 3 reverse 0 over (%x : tensor<3x4xf32, #dev.on<"cpu">>)
          carry (%h : tensor<4xf32, #dev.on<"cpu">>) with () -> (tensor<4xf32, #dev.on<"cpu">>) stack () {
      ^bb0(%now: tensor<4xf32, #dev.on<"cpu">>, %before: tensor<4xf32, #dev.on<"cpu">>):
        %a = dev.launch @add(%now, %before)
          : (tensor<4xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
        nn.yield carry (%a : tensor<4xf32, #dev.on<"cpu">>) stack ()
      }
      func.return %r : tensor<4xf32, #dev.on<"cpu">>
    }
    func.func private @add(tensor<4xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>)
        -> tensor<4xf32, #dev.on<"cpu">>
    ```

    After:

    ```mlir
    func.func @main(%x: tensor<3x4xf32, #dev.on<"cpu">>, %h: tensor<4xf32, #dev.on<"cpu">>)
        -> tensor<4xf32, #dev.on<"cpu">> {
      %r = dev.launch @loop(%x, %h)
        : (tensor<3x4xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
      func.return %r : tensor<4xf32, #dev.on<"cpu">>
    }
    func.func private @add(tensor<4xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>)
        -> tensor<4xf32, #dev.on<"cpu">>
    func.func private @loop(%x: tensor<3x4xf32, #dev.on<"cpu">>, %h: tensor<4xf32, #dev.on<"cpu">>)
        -> tensor<4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "loop", ["nn.loop"]>} {
      %r = nn.loop steps 3 reverse 0 over (%x : tensor<3x4xf32, #dev.on<"cpu">>)
          carry (%h : tensor<4xf32, #dev.on<"cpu">>) with () -> (tensor<4xf32, #dev.on<"cpu">>) stack () {
      ^bb0(%now: tensor<4xf32, #dev.on<"cpu">>, %before: tensor<4xf32, #dev.on<"cpu">>):
        %a = dev.launch @add(%now, %before)
          : (tensor<4xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
        nn.yield carry (%a : tensor<4xf32, #dev.on<"cpu">>) stack ()
      }
      func.return %r : tensor<4xf32, #dev.on<"cpu">>
    }
    ```
    """

    name = "outline-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = {f.sym_name.data for f in op.ops if isinstance(f, FuncOp)}
        for function in list(op.ops):
            if not isinstance(function, FuncOp) or function.sym_name.data != "main":
                continue
            for loop in loops_of(function):
                place = re.sub(r"\W+", "_", location_name(loop.location) or "")
                base = name = "_".join(["loop", *filter(None, [place.strip("_")])])
                number = 1
                while name in names:
                    name, number = f"{base}_{number}", number + 1
                names.add(name)
                op.body.block.add_op(outline(with_weights_outside(loop), name))
