"""Sums of small tiles, several terms at a time."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ForOp
from xdsl.passes import ModulePass

from devproc.algorithms.register_tile.sums import sum_in_streams
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import TermOp
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import target_of
from devproc.transforms.cpu.tiles.scheduled import put_before, tiled_nests
from devproc.transforms.cpu.tiles.term_loops import iteration, trip_count


def interleave_sums(kernel: FuncOp, target: TargetAttr) -> None:
    """Replace each loop over terms of which its schedule takes several at a time."""
    found, ops = tiled_nests(kernel, target)
    emitter = Emitter(kernel.body.block)
    emitter.adopt()
    for op in ops:
        loop, nest = op.parent_op(), found[op.nest_name]
        tiling = nest.algorithm.tiling
        if not isinstance(op, TermOp) or not isinstance(loop, ForOp):
            continue
        count = trip_count(emitter, loop)
        if count is None or tiling is None or tiling.streams is None:
            continue
        streams = tiling.streams(nest.nest, nest.schedule, target, op, count)
        if streams > 1:
            emitter.location = op.location
            interleave(emitter, loop, count, streams)


def interleave(emitter: Emitter, loop: ForOp, count: int, streams: int) -> None:
    """Put a loop in the place of one of `count` terms that takes `streams` at a time."""
    totals = sum_in_streams(
        emitter,
        loop.lb,
        count,
        loop.iter_args,
        lambda index, sums: iteration(emitter, loop, index, sums),
        streams,
    )
    put_before(loop, emitter.take())
    for old, new in zip(loop.results, totals, strict=True):
        old.replace_all_uses_with(new)
    loop.detach()
    loop.erase()


@dataclass(frozen=True)
class InterleaveSumsPass(ModulePass):
    """Takes several terms at a time where a tile has few sums.

    A multiply-add begins before the one before it has ended, but not if it adds to the
    same sum. Each of the terms has sums of its own, all but the first from zero; they are
    added after the loop. How many there are, the schedule says (`accumulators`).
    """

    name = "interleave-sums"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in cpu_kernels(op):
            interleave_sums(kernel, target)
