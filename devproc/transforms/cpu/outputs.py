"""Kernels along rows or along their results: what several passes choose and expand."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp

from devproc.algorithms import algorithm
from devproc.algorithms.base import KernelOps
from devproc.algorithms.choosing import choose
from devproc.dialects.dev import TargetAttr
from devproc.ir.program.kernel_modules import kernel_mark
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import structured_ops

ALGORITHMS = ("rows", "padding", "channels", "row_parts", "vectors")


def schedule_outputs(function: FuncOp, target: TargetAttr) -> None:
    """Each nest of a kernel that one of these algorithms takes."""
    mark = kernel_mark(function)
    assert mark is not None
    kernel = KernelOps(structured_ops(function), mark.family.data)
    emitter = Emitter(function.body.block)
    for chosen in choose(kernel, target, map(algorithm, ALGORITHMS)):
        emitter.location = chosen.nest.ops[0].location
        chosen.algorithm.expand(chosen.nest, chosen.choice.schedule, emitter, target)
        emitter.replace(chosen.nest.ops)
