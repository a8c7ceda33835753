"""Long sums of tiles, block by block."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ForOp
from xdsl.passes import ModulePass

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import StartOp
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import target_of
from devproc.transforms.cpu.tiles.scheduled import put_before, tiled_nests


def split_sums(kernel: FuncOp, target: TargetAttr) -> None:
    """Replace the loop over the terms of each long sum."""
    found, ops = tiled_nests(kernel, target)
    emitter = Emitter(kernel.body.block)
    emitter.adopt()
    for op in ops:
        nest = found[op.nest_name]
        tiling = nest.algorithm.tiling
        if not isinstance(op, StartOp) or tiling is None or tiling.split is None:
            continue
        (use,) = op.sums[0].uses
        loop = use.operation
        if not isinstance(loop, ForOp):
            continue
        emitter.location = op.location
        totals = tiling.split(nest.nest, nest.schedule, emitter, target, op)
        if totals:
            put_before(loop, emitter.take())
            for old, new in zip(loop.results, totals, strict=True):
                old.replace_all_uses_with(new)
            loop.detach()
            loop.erase()


@dataclass(frozen=True)
class SplitLongSumsPass(ModulePass):
    """Adds up long sums block by block, as their schedules say.

    Each block begins at zero; so fewer roundings meet large numbers. The sums of blocks
    are added with what their rounding loses (two-sum).
    """

    name = "split-long-sums"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in cpu_kernels(op):
            split_sums(kernel, target)
