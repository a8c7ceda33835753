"""Inserts syncs before the host reads values that a stream copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from devproc.backend.installed import is_asynchronous
from devproc.dialects.dev import CopyOp, SyncOp, device_of
from devproc.ir.devices import HOST
from devproc.transforms.placed.main_block import rewrite_main


def stream_of(op: CopyOp) -> str | None:
    """The stream device that a copy to the host comes from; None for other copies."""
    source = device_of(op.source.type)
    to_host = device_of(op.result.type) == HOST
    return source if to_host and source and is_asynchronous(source) else None


@dataclass
class InsertSync(RewritePattern):
    """Insert a sync before the first reader of a copy from a stream device.

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

    seen: set[CopyOp] = field(default_factory=set[CopyOp])
    """Copies whose first reader the walk has passed."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        synced = {sync.device.data for sync in _syncs_before(op)}
        for copy in [value.owner for value in op.operands]:
            if not isinstance(copy, CopyOp) or copy in self.seen:
                continue
            self.seen.add(copy)
            stream = stream_of(copy)
            if stream is not None and stream not in synced:
                synced.add(stream)
                rewriter.insert(SyncOp(stream), InsertPoint.before(op))


def _syncs_before(op: Operation) -> Iterator[SyncOp]:
    """The syncs directly before an op."""
    other = op.prev_op
    while isinstance(other, SyncOp):
        yield other
        other = other.prev_op


@dataclass(frozen=True)
class InsertSyncsPass(ModulePass):
    """Synchronize each copy to the host before its first reader."""

    name = "insert-syncs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_main(op, InsertSync())
