"""Leads copies between the host and a device through page-locked memory."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from devproc.backend.installed import backend
from devproc.dialects.dev import SyncOp, TargetAttr, device_of, target_of
from devproc.dialects.plan import CopyOp, StagingOp
from devproc.ir.devices import HOST
from devproc.ir.host.lifetimes import is_step
from devproc.ir.text.location import copy_location


def has_streams(device: str, target: TargetAttr) -> bool:
    """Whether a program may use several streams of a device."""
    return backend(device).describe(target).streams > 1


@dataclass
class StageCopy(RewritePattern):
    """Split a copy into one by the host and one by the device.

    The host writes staging memory before the work of the device begins, and reads it after
    the sync, so that the works in between can be queued at once.
    """

    target: TargetAttr

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CopyOp, rewriter: PatternRewriter, /) -> None:
        source, destination = device_of(op.source.type), device_of(op.destination.type)
        if source == HOST and destination and has_streams(destination, self.target):
            self._upload(op, destination, rewriter)
        elif destination == HOST and source and has_streams(source, self.target):
            self._download(op, source, rewriter)

    def _upload(self, op: CopyOp, device: str, rewriter: PatternRewriter) -> None:
        first: Operation = op
        while (before := first.prev_op) is not None:
            if _is_host_step(before) or before is op.source.owner:
                break
            first = before
        staging = StagingOp(device, op.source.type)
        staging.result.name_hint = op.source.name_hint
        copy = CopyOp(op.source, staging.result)
        copy_location(op, copy)
        rewriter.insert([staging, copy], InsertPoint.before(first))
        op.operands[0] = staging.result

    def _download(self, op: CopyOp, device: str, rewriter: PatternRewriter) -> None:
        sync = op.next_op
        while not (isinstance(sync, SyncOp) and sync.device.data == device):
            if sync is None:
                return  # The host does not read it.
            sync = sync.next_op
        staging = StagingOp(device, op.destination.type)
        staging.result.name_hint = op.destination.name_hint
        copy = CopyOp(staging.result, op.destination)
        copy_location(op, copy)
        rewriter.insert(staging, InsertPoint.before(op))
        rewriter.insert(copy, InsertPoint.after(sync))
        op.operands[1] = staging.result


def _is_host_step(op: Operation) -> bool:
    return is_step(op) and {device_of(v.type) for v in op.operands} <= {HOST, None}


@dataclass(frozen=True)
class StageCopiesPass(ModulePass):
    """Lead each copy between the host and a device with streams through staging memory.

    Before:

    ```mlir
    !host = memref<4xf32, #dev.on<"cpu">>
    !cuda = memref<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !host, %y: !host) {
      %a = memref.alloc() : !cuda
      plan.copy %x to %a : !host to !cuda
      plan.copy %a to %y : !cuda to !host
      dev.sync "cuda"
      func.return
    }
    ```

    After:

    ```mlir
    !host = memref<4xf32, #dev.on<"cpu">>
    !cuda = memref<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !host, %y: !host) {
      %s = plan.staging "cuda" : !host
      plan.copy %x to %s : !host to !host
      %a = memref.alloc() : !cuda
      plan.copy %s to %a : !host to !cuda
      %t = plan.staging "cuda" : !host
      plan.copy %a to %t : !cuda to !host
      dev.sync "cuda"
      plan.copy %t to %y : !host to !host
      func.return
    }
    ```
    """

    name = "stage-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = StageCopy(target_of(op))
        for function in op.ops:
            if isinstance(function, FuncOp) and function.sym_name.data == "main":
                rewriter = PatternRewriter(function)
                for copy in list(function.body.block.ops):
                    pattern.match_and_rewrite(copy, rewriter)
