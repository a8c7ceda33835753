"""Wraps consecutive ops of one device in a region."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from devproc.dialects.dev import RegionOp, YieldOp
from devproc.transforms.placed.main_block import device_of_op, rewrite_main


def wrap(ops: Sequence[Operation], device: str, rewriter: PatternRewriter) -> None:
    """Move consecutive ops into a region, with captured values as its operands."""
    members = set(ops)
    inputs = dict.fromkeys(
        value for op in ops for value in op.operands if value.owner not in members
    )
    outputs = [
        result
        for op in ops
        for result in op.results
        if any(use.operation not in members for use in result.uses)
    ]
    region = RegionOp(device, list(inputs), [value.type for value in outputs])
    rewriter.insert(region, InsertPoint.before(ops[0]))
    for value, result in zip(outputs, region.results, strict=True):
        result.name_hint = value.name_hint
        value.replace_uses_with_if(result, lambda use: use.operation not in members)
    body = region.body.block
    arguments = dict(zip(inputs, body.args, strict=True))
    for value, argument in arguments.items():
        argument.name_hint = value.name_hint
    for op in ops:
        op.operands = [arguments.get(value, value) for value in op.operands]
        op.detach()
    body.add_ops([*ops, YieldOp.create(operands=outputs)])


class WrapInRegion(RewritePattern):
    """Wrap consecutive ops of one device in a region.

    Before:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    func.func @main(%x: !host) -> !host {
      %a = nn.exp %x {dev.place = #dev.place<"cpu", "">} : (!host) -> !host
      %b = nn.relu %a {dev.place = #dev.place<"cpu", "">} : (!host) -> !host
      func.return %b : !host
    }
    ```

    After:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    func.func @main(%x: !host) -> !host {
      %r = dev.region "cpu" (%x) : (!host) -> (!host) {
      ^bb0(%y: !host):
        %a = nn.exp %y {dev.place = #dev.place<"cpu", "">} : (!host) -> !host
        %b = nn.relu %a {dev.place = #dev.place<"cpu", "">} : (!host) -> !host
        dev.yield %b : !host
      }
      func.return %r : !host
    }
    ```
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if "dev.place" not in op.attributes:
            return
        device, ops, other = device_of_op(op), [op], op.next_op
        while (
            other and "dev.place" in other.attributes and device_of_op(other) == device
        ):
            ops.append(other)
            other = other.next_op
        wrap(ops, device, rewriter)


@dataclass(frozen=True)
class WrapInRegionsPass(ModulePass):
    """Wrap the consecutive ops of a device in one region."""

    name = "wrap-in-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_main(op, WrapInRegion())
