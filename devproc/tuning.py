"""What a tuner tries: legal schedules in the neighbourhood of the one that is planned."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import VerifyException

from devproc.algorithms import algorithm
from devproc.algorithms.base import KernelOps
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import NestOp, Schedule
from devproc.ir.program.kernel_modules import kernel_mark


def candidates(kernel: FuncOp, target: TargetAttr) -> dict[str, list[Schedule]]:
    """The legal schedules of each nest of a kernel at stage `schedules`, by its name.

    The planned one comes first. The others differ from it in one field, whose value is
    close to the planned one; fields with which digits would change are left alone.
    """
    mark = kernel_mark(kernel)
    found: dict[str, list[Schedule]] = {}
    for op in kernel.body.block.ops:
        if mark is None or not isinstance(op, NestOp):
            continue
        taker = algorithm(op.schedule.algorithm)
        nest = taker.nest_of(KernelOps(op.members, mark.family.data))
        if nest is not None:
            found[op.nest_name or ""] = [op.schedule] + [
                other
                for other in neighbours(op.schedule)
                if taker.problem(nest, other, target) is None
            ]
    return found


def neighbours(schedule: Schedule) -> Iterator[Schedule]:
    """Schedules that differ in one field which changes no digits, legal or not."""
    for name, value in schedule.values.items():
        if name in schedule.fixed:
            continue
        for other in schedule.fields[name].neighbours(value):
            try:
                changed = schedule.replace(**{name: other})
            except VerifyException:
                continue
            if changed.fixed == schedule.fixed:
                yield changed
