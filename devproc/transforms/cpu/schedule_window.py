"""Windows (convolution, pooling): vectors along the width of the image.

A convolution is a contraction whose rows are output channels and whose columns are
pixels of a line: filters are read one number at a time, the image in vectors, so weights
need no packing. Pooling is a reduction along the outputs.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.transforms.cpu.kernels import cpu_kernels, target_of
from devproc.transforms.cpu.schedule_contraction import schedule_kernel


@dataclass(frozen=True)
class ScheduleWindowPass(ModulePass):
    """Convolutions as register tiles of channels and pixels, pools as vectors of pixels."""

    name = "schedule-window"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for function in cpu_kernels(op, "window"):
            schedule_kernel(function, target, rows_outside=True)
