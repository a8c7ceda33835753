"""Removes redundant syncs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.dev import CopyOp, SyncOp
from devproc.transforms.placed.insert_syncs import stream_of
from devproc.transforms.placed.main_block import rewrite_main


class DropSync(RewritePattern):
    """Erase a sync if none of the work it newly waits for is read before the next sync.

    Before:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !cuda) -> (!host, !host) {
      %y = dev.copy %x : !cuda to !host
      %z = dev.copy %x : !cuda to !host
      dev.sync "cuda"
      %a = nn.exp %y {dev.place = #dev.place<"cpu", "">} : (!host) -> !host
      dev.sync "cuda"
      func.return %a, %z : !host, !host
    }
    ```

    After:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !cuda) -> (!host, !host) {
      %y = dev.copy %x : !cuda to !host
      %z = dev.copy %x : !cuda to !host
      dev.sync "cuda"
      %a = nn.exp %y {dev.place = #dev.place<"cpu", "">} : (!host) -> !host
      func.return %a, %z : !host, !host
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SyncOp, rewriter: PatternRewriter, /) -> None:
        later = _until_sync(op, attrgetter("next_op"))
        read = {value for reader in later for value in reader.operands}
        awaited = any(
            isinstance(copy, CopyOp)
            and copy.result in read
            and stream_of(copy) == op.device.data
            for copy in _until_sync(op, attrgetter("prev_op"))
        )
        if not awaited:
            rewriter.erase(op)


def _until_sync(
    op: SyncOp, following: Callable[[Operation], Operation | None]
) -> Iterator[Operation]:
    """The ops before or after a sync, up to the next one of its device."""
    other = following(op)
    while other is not None:
        if isinstance(other, SyncOp) and other.device == op.device:
            return
        yield other
        other = following(other)


@dataclass(frozen=True)
class DropSyncsPass(ModulePass):
    """Remove redundant syncs: one sync covers all work that was queued before it."""

    name = "drop-syncs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_main(op, DropSync())
