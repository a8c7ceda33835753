"""Moves constants into the regions that read them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from devproc.backend.installed import backend
from devproc.dialects.dev import RegionOp, SyncOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.ir.devices import HOST
from devproc.transforms.placed.main_block import rewrite_main
from devproc.transforms.placed.merge_regions import rewrap
from devproc.transforms.placed.wrap_in_regions import wrap


class SinkConstant(RewritePattern):
    """Clone a constant into each region that reads it, or into its own if an output.

    Before:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !number = tensor<f32, #dev.on<"cpu">>
    func.func @main(%x: !host) -> !host {
      %c = nn.constant dense<2.0> : tensor<f32> : !number
      %a = dev.region "cpu" (%x, %c) : (!host, !number) -> (!host) {
      ^bb0(%y: !host, %d: !number):
        %e = nn.mul %y, %d : (!host, !number) -> !host
        dev.yield %e : !host
      }
      func.return %a : !host
    }
    ```

    After:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !number = tensor<f32, #dev.on<"cpu">>
    func.func @main(%x: !host) -> !host {
      %a = dev.region "cpu" (%x) : (!host) -> (!host) {
      ^bb0(%y: !host):
        %d = nn.constant dense<2.0> : tensor<f32> : !number
        %e = nn.mul %y, %d : (!host, !number) -> !host
        dev.yield %e : !host
      }
      func.return %a : !host
    }
    ```
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, RegionOp | ReturnOp):
            return
        inside: list[Operation] = []
        # An output without dependences comes before the syncs.
        place = op
        while isinstance(op, ReturnOp) and isinstance(place.prev_op, SyncOp):
            place = place.prev_op
        for value in dict.fromkeys(op.operands):
            constant = value.owner
            if isinstance(constant, ConstantOp) or (
                isinstance(constant, WeightOp) and _takes_weights(op)
            ):
                own = constant.clone()
                rewriter.insert(own, InsertPoint.before(place))
                value.replace_uses_with_if(own.result, lambda use: use.operation is op)
                inside.append(own)
                if value.first_use is None:
                    rewriter.erase(constant)
        if isinstance(op, RegionOp) and inside:
            rewrap([op], rewriter, inside)
        elif isinstance(op, ReturnOp):
            for own in inside:
                wrap([own], HOST, rewriter)


def _takes_weights(op: Operation) -> bool:
    """Whether the weights of a region are part of its code; see `Backend`."""
    return isinstance(op, RegionOp) and not backend(op.device.data).lowers_kernels


@dataclass(frozen=True)
class SinkConstantsPass(ModulePass):
    """Move constants into the regions, since they are part of the code of kernels.

    Weights too, where the device takes regions whole.
    """

    name = "sink-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_main(op, SinkConstant())
