"""The ops of a kernel that one algorithm takes, until each nest has its schedule in the
IR."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms import algorithm
from devproc.algorithms.base import KernelOps
from devproc.algorithms.choosing import choose
from devproc.ir.program.kernel_modules import cpu_kernels, kernel_mark
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import target_of

STRUCTURED = ("linalg", "linalg_ext")
"""Dialects of the ops that nests consist of."""


def schedule_by(name: str, module: ModuleOp, *families: str) -> None:
    """Replace what an algorithm takes, in kernels of these families or of all, by loops."""
    target, taker = target_of(module), algorithm(name)
    for function in cpu_kernels(module, *families):
        block, mark = function.body.block, kernel_mark(function)
        assert mark is not None
        ops = [op for op in block.ops if op.dialect_name() in STRUCTURED]
        emitter = Emitter(block)
        for chosen in choose(KernelOps(ops, mark.family.data), target, [taker]):
            emitter.location = chosen.nest.ops[0].location
            taker.expand(chosen.nest, chosen.choice.schedule, emitter, target)
            emitter.replace(chosen.nest.ops)
