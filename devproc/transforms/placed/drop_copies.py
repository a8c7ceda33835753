"""Removes redundant copies between devices."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.dev import CopyOp
from devproc.transforms.placed.main_block import rewrite_main


class DropCopy(RewritePattern):
    """Replace a repeated copy of a value into one memory by the first copy.

    A copy back is replaced by the original.

    Before:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !host) -> !host {
      %a = dev.copy %x : !host to !cuda
      %b = dev.copy %x : !host to !cuda
      %c = nn.add %a, %b {dev.place = #dev.place<"cuda", "">} : (!cuda, !cuda) -> !cuda
      %d = dev.copy %a : !cuda to !host
      func.return %d : !host
    }
    ```

    After:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !host) -> !host {
      %a = dev.copy %x : !host to !cuda
      %c = nn.add %a, %a {dev.place = #dev.place<"cuda", "">} : (!cuda, !cuda) -> !cuda
      func.return %x : !host
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CopyOp, rewriter: PatternRewriter, /) -> None:
        origin = op.source.owner
        if isinstance(origin, CopyOp) and origin.source.type == op.result.type:
            rewriter.replace(op, [], [origin.source])
            return
        # The walk is in order: the remaining copies come later.
        for use in list(op.source.uses):
            other = use.operation
            if isinstance(other, CopyOp) and other is not op:
                if other.result.type == op.result.type:
                    rewriter.replace(other, [], [op.result])


@dataclass(frozen=True)
class DropCopiesPass(ModulePass):
    """Copy a value at most once into each memory where it is read."""

    name = "drop-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_main(op, DropCopy())
