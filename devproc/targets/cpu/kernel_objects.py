"""Kernels of the CPU are lowered one by one: LLVM compiles one beside the next."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.driver import run_stages
from devproc.ir.program.kernel_modules import kernel_mark
from devproc.ir.verification.verify_ops import VerifiedForms
from devproc.settings import verify_each_pass
from devproc.stages import STAGES
from devproc.targets.cpu.object_code import ObjectCode
from devproc.timings import StageRecord, announce

FINISHED = frozenset({"attention", "bottleneck", "window"})
"""Families whose schedules leave little to do for LLVM's passes, which then take most of
the time: register tiles in straight vector code. They lose 2 per cent at most of a model's
speed; others, matrix products of nine rows for one, lose 5.
"""


def compile_kernels(
    kernels: Sequence[ModuleOp],
    module: ModuleOp,
    context: Context,
    code: ObjectCode,
    records: list[StageRecord],
    options: Mapping[str, str],
    forms: VerifiedForms,
) -> None:
    """Runs the stages that look at one kernel at a time, on the module of each, and the
    last one on `module`, which calls them.

    Adds a file for each to `code`, and what the stages took to `records`.
    """
    *stages, last = (stage for stage in STAGES if stage.by_kernel)

    def finish(part: ModuleOp, exported: Container[str], passes: bool) -> StageRecord:
        # LLVM verifies what comes of it, once more would be a tenth of the compilation.
        (record,) = run_stages(
            part,
            context,
            [last],
            verify=verify_each_pass(),
            options=options,
            forms=forms,
        )
        code.add(part, exported, passes)
        return record

    taken: list[StageRecord] = []
    for number, part in enumerate(kernels, 1):
        (kernel,) = (op for op in part.ops if isinstance(op, FuncOp))
        name, mark = kernel.sym_name.data, kernel_mark(kernel)
        assert mark is not None
        announce(f"kernel {number} of {len(kernels)}: {name}")
        taken += run_stages(part, context, stages, options=options, forms=forms)
        taken.append(finish(part, {name}, mark.family.data not in FINISHED))
    records.append(finish(module, (), True))
    by_name = {record.name: record for record in records}
    for record in taken:
        by_name[record.name].add(record)
