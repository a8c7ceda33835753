"""Which convolutions read boxes of their image by descriptors."""

from __future__ import annotations

from devproc.algorithms.base import Decision, Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BoxGemmSchedule
from devproc.targets.triton.algorithms.box_gemm.image import boxes_of
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.precision import precision_problem
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import size_problem


def plan(nest: BlockNest, family: str, target: TargetAttr) -> Decision:
    """None: tiles of `implicit_gemm` are those that were measured."""
    return Refusal("no measurement prefers it to implicit_gemm; a tuner compares them")


def refuse(
    nest: BlockNest, schedule: BoxGemmSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a nest."""
    arch = arch_of(target)
    if not arch.has_tensor_copies:
        return f"{arch.name} copies no tensors by descriptors (TMA)"
    found = boxes_of(nest, schedule)
    if isinstance(found, Refusal):
        return found.why
    pixels = schedule.rows * schedule.columns
    return (
        precision_problem(schedule.precision, target)
        or size_problem(pixels, schedule.n)
        or size_problem(pixels, schedule.k)
        or size_problem(schedule.k, schedule.n)
    )
