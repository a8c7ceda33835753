"""Contractions (linear, matmul, batched too): register tiles over packed panels."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from devproc.dialects.dev import TargetAttr
from devproc.transforms.cpu.contraction import match_contraction
from devproc.transforms.cpu.contraction_loops import ContractionLoops
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.groups import match_group
from devproc.transforms.cpu.kernels import (
    cpu_kernels,
    is_parallel,
    structured_ops,
    target_of,
)
from devproc.transforms.cpu.nest import Nest
from devproc.transforms.cpu.nest_emitter import can_vectorize_nest, vector_loop
from devproc.transforms.cpu.vector_nest import VectorNest


def schedule(
    nest: Nest, emitter: Emitter, target: TargetAttr, rows_outside: bool
) -> bool:
    """Emit one contraction; False where it has to stay."""
    vector_bits, threads = target.vector_bits.data, target.threads.data
    nest.simplify()
    column = vector_loop(nest)
    if column is None or 0 in nest.sizes:
        return False
    roles = match_contraction(nest, column)
    if roles is not None:
        loops = ContractionLoops(roles, emitter, vector_bits, threads, rows_outside)
        if loops.fits:
            loops.emit()
            return True
    if not can_vectorize_nest(nest, column):
        return False
    VectorNest(nest, column, emitter, vector_bits, threads).emit()
    return True


def schedule_kernel(
    function: FuncOp, target: TargetAttr, rows_outside: bool = False
) -> None:
    """Schedule the anchor of a kernel, with its fill and its epilogue.

    `rows_outside`: whether a tile of rows stays while the columns pass, or the reverse.
    """
    emitter = Emitter(function.body.block)
    ops = structured_ops(function)
    for position, op in enumerate(ops):
        if all(is_parallel(op)):
            continue
        nest = match_group(ops, position)
        emitter.location = op.location
        if schedule(nest, emitter, target, rows_outside):
            emitter.replace(nest.ops)


@dataclass(frozen=True)
class ScheduleContractionPass(ModulePass):
    """Contractions as tiles of accumulators that never leave the registers."""

    name = "schedule-contraction"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for function in cpu_kernels(op, "contraction"):
            schedule_kernel(function, target)
