"""Attention: a tile of queries with all keys of its head."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.transforms.cpu.attention import AttentionLoops
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.kernels import cpu_kernels, structured_ops, target_of
from devproc.transforms.cpu.lower_linalg_to_loops import erase_unused_memory


@dataclass(frozen=True)
class ScheduleAttentionPass(ModulePass):
    """Attention head by head; the scores of a few queries at a time."""

    name = "schedule-attention"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for function in cpu_kernels(op, "attention"):
            emitter = Emitter(function.body.block)
            ops = structured_ops(function)
            emitter.location = ops[0].location
            AttentionLoops(ops, emitter, target).emit()
            emitter.replace(ops)
            erase_unused_memory(function.body.block)
