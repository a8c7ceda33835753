"""Merges regions of one device that are separated only by copies and syncs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from devproc.backend.installed import memory_of
from devproc.dialects.dev import CopyOp, RegionOp, SyncOp, device_of
from devproc.ir.devices import HOST
from devproc.transforms.placed.main_block import rewrite_main
from devproc.transforms.placed.wrap_in_regions import wrap


def rewrap(
    regions: Sequence[RegionOp],
    rewriter: PatternRewriter,
    leading: Sequence[Operation] = (),
) -> None:
    """Replace the first region by one with `leading` ops before its own."""
    first = regions[0]
    ops = list(leading)
    for region in regions:
        *body, last = region.body.block.ops
        for value, result in zip(last.operands, region.results, strict=True):
            result.replace_all_uses_with(value)
        rewriter.inline_block(
            region.body.block, InsertPoint.before(first), region.inputs
        )
        rewriter.erase(last)
        ops += body
    for region in regions:
        rewriter.erase(region)
    wrap(ops, first.device.data, rewriter)


class MergeRegions(RewritePattern):
    """Merge regions of one device; copies of their results are moved after the result.

    A sync of the host is moved before it.

    Before:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !host) -> (!cuda, !host) {
      %a = dev.region "cpu" (%x) : (!host) -> (!host) {
      ^bb0(%y: !host):
        %e = nn.exp %y : (!host) -> !host
        dev.yield %e : !host
      }
      %c = dev.copy %a : !host to !cuda
      %b = dev.region "cpu" (%a) : (!host) -> (!host) {
      ^bb0(%y: !host):
        %r = nn.relu %y : (!host) -> !host
        dev.yield %r : !host
      }
      dev.sync "cuda"
      func.return %c, %b : !cuda, !host
    }
    ```

    After:

    ```mlir
    !host = tensor<4xf32, #dev.on<"cpu">>
    !cuda = tensor<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !host) -> (!cuda, !host) {
      %a, %b = dev.region "cpu" (%x) : (!host) -> (!host, !host) {
      ^bb0(%y: !host):
        %e = nn.exp %y : (!host) -> !host
        %r = nn.relu %e : (!host) -> !host
        dev.yield %e, %r : !host, !host
      }
      %c = dev.copy %a : !host to !cuda
      dev.sync "cuda"
      func.return %c, %b : !cuda, !host
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RegionOp, rewriter: PatternRewriter, /) -> None:
        memory = memory_of(op.device.data)
        regions, before, waiting = [op], list[Operation](), list[Operation]()
        other = op.next_op
        while other is not None:
            if isinstance(other, RegionOp) and other.device == op.device:
                regions.append(other)
                before, waiting = [*before, *waiting], []
            elif isinstance(other, SyncOp) and memory == HOST:
                waiting.append(other)
            elif (
                not isinstance(other, CopyOp) or device_of(other.source.type) != memory
            ):
                break
            other = other.next_op
        if len(regions) > 1:
            for sync in before:
                sync.detach()
            rewriter.insert(before, InsertPoint.before(op))
            rewrap(regions, rewriter)


@dataclass(frozen=True)
class MergeRegionsPass(ModulePass):
    """Merge the regions that a device runs before any other device runs one."""

    name = "merge-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_main(op, MergeRegions())
