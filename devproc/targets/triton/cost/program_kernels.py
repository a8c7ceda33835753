"""The GPU kernels of a program with their schedules, work and launches, from its IR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from devproc.dialects.plan import LaunchOp
from devproc.dialects.sched import NestOp
from devproc.driver import StageRun, stages_between
from devproc.ir.program.kernel_modules import device_kernels
from devproc.ir.program.launches import launches_by_kernel
from devproc.ir.types import item_size
from devproc.stages import STAGES
from devproc.targets.triton import GPU
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.cost.work import Work, work_of
from devproc.targets.triton.kernel import TritonKernel, kernel_of


@dataclass(frozen=True)
class ProgramKernel:
    """A kernel of a program."""

    kernel: TritonKernel
    schedule: str
    why: str
    """The reason for the schedule."""
    work: Work
    argument_bytes: tuple[int, ...]
    """The size of each argument."""
    launches: int
    """In one run of the program."""


def program_kernels(module: ModuleOp) -> list[ProgramKernel]:
    """The kernels of a module at its first stage, which is used up.

    In the order of the program; `devproc.target` must name the GPU.
    """
    scheduled: dict[str, tuple[str, str]] = {}

    run = StageRun(
        module,
        unverified=[stage.name for stage in STAGES],
        before={
            "convert-linalg-to-triton": lambda module: scheduled.update(
                _schedules(module)
            )
        },
    )
    run.run(stages_between(None, "gpu"))
    launches = launches_by_kernel(module)
    return [
        _program_kernel(op, launches[op.sym_name.data], *scheduled[op.sym_name.data])
        for op in module.ops
        if isinstance(op, triton.FuncOp) and launches[op.sym_name.data]
    ]


def _schedules(module: ModuleOp) -> dict[str, tuple[str, str]]:
    """Schedule and reason of each function that the nests of kernels become."""
    found: dict[str, tuple[str, str]] = {}
    for kernel in device_kernels(module, GPU):
        name = kernel.sym_name.data
        for number, nest in enumerate(kernel_nests(kernel)):
            part = f"{name}_{number}" if number else name
            found[part] = str(nest.schedule), nest.why.data
    return found


def kernel_nests(kernel: FuncOp) -> list[NestOp]:
    """The nests of a kernel at stage `schedules`, in order."""
    return [op for op in kernel.body.block.ops if isinstance(op, NestOp)]


def _program_kernel(
    func: triton.FuncOp, launches: Sequence[LaunchOp], schedule: str, why: str
) -> ProgramKernel:
    return ProgramKernel(
        kernel_of(func),
        schedule,
        why,
        work_of(func),
        tuple(memref_bytes(operand.type) for operand in launches[0].operands),
        len(launches),
    )


def memref_bytes(type_: Attribute) -> int:
    """The bytes of a buffer."""
    memref = cast("MemRefType[Attribute]", type_)
    return prod(memref.get_shape()) * item_size(memref.element_type)
