"""Kernels of a family that one algorithm takes whole, until each nest has its schedule in
the IR."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms import algorithm
from devproc.algorithms.base import Choice, KernelOps
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import structured_ops, target_of
from devproc.transforms.cpu.lower_linalg_to_loops import erase_unused_memory


def schedule_whole(module: ModuleOp, name: str) -> None:
    """Replace the kernels of a family by the loops of the algorithm of this name.

    Raises PassFailedException where it refuses one: no other algorithm takes it.
    """
    target, taker = target_of(module), algorithm(name)
    for function in cpu_kernels(module, name):
        emitter = Emitter(function.body.block)
        for nest in list(taker.match(KernelOps(structured_ops(function), name))):
            decision = taker.plan(nest, name, target)
            if not isinstance(decision, Choice):
                raise PassFailedException(f"{name} does not take it: {decision.why}")
            taker.expand(nest, decision.schedule, emitter, target)
            emitter.replace(nest.ops)
        erase_unused_memory(function.body.block)
