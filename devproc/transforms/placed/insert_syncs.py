"""The host waits for the streams before it reads what they copy."""

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
from xdsl.rewriter import InsertPoint

from devproc.dialects.dev import STREAM_DEVICES, CopyOp, SyncOp, device_of
from devproc.transforms.placed.main_block import HOST, rewrite_main


def stream_of(op: CopyOp) -> str | None:
    """The stream device that a copy to the host comes from; None for other copies."""
    source = device_of(op.source.type)
    to_host = device_of(op.result.type) == HOST
    return source if to_host and source in STREAM_DEVICES else None


class InsertSync(RewritePattern):
    """A copy from a stream has a sync in front of its first reader.

    Before:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !cuda) -> !host {
      %a = nn.exp %x {dev.place = #dev.place<"cuda", "">} : (!cuda) -> !cuda
      %y = dev.copy %a : !cuda to !host
      func.return %y : !host
    }
    ```

    After:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !cuda) -> !host {
      %a = nn.exp %x {dev.place = #dev.place<"cuda", "">} : (!cuda) -> !cuda
      %y = dev.copy %a : !cuda to !host
      dev.sync "cuda"
      func.return %y : !host
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CopyOp, rewriter: PatternRewriter, /) -> None:
        if (stream := stream_of(op)) is None:
            return
        reader = op.next_op
        while reader is not None and op.result not in reader.operands:
            reader = reader.next_op
        if reader is not None and not isinstance(reader.prev_op, SyncOp):
            rewriter.insert(SyncOp(stream), InsertPoint.before(reader))


@dataclass(frozen=True)
class InsertSyncsPass(ModulePass):
    """Wait for each copy to the host before its first reader."""

    name = "insert-syncs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_main(op, InsertSync())
