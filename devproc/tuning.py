"""What a tuner tries: the legal candidates of an algorithm, or neighbours of its plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import VerifyException

from devproc.algorithms import algorithm
from devproc.algorithms.base import KernelOps, Refusal
from devproc.algorithms.choosing import nest_for
from devproc.dialects.dev import KernelAttr, TargetAttr
from devproc.dialects.sched import NestOp, Schedule
from devproc.ir.program.kernel_modules import kernel_mark


def candidates(kernel: FuncOp, target: TargetAttr) -> dict[str, list[Schedule]]:
    """The legal schedules of each nest of a kernel at stage `schedules`, by its name.

    The planned one comes first. The others are those that the algorithm offers
    (`Algorithm.candidates`), else those that differ from it in one field, whose value is
    close to the planned one; fields with which digits would change are left alone.
    """
    mark = kernel_mark(kernel)
    found: dict[str, list[Schedule]] = {}
    for op in kernel.body.block.ops:
        if mark is None or not isinstance(op, NestOp):
            continue
        taker = algorithm(op.schedule.algorithm)
        family = mark.family.data
        nest = taker.nest_of(KernelOps(op.members, family))
        if nest is None:
            continue
        offered: Iterable[Schedule] = neighbours(op.schedule)
        if taker.candidates is not None:
            offered = taker.candidates(nest, family, target)
        legal = [s for s in offered if is_legal(s, op, mark, target)]
        found[op.nest_name or ""] = list(dict.fromkeys([op.schedule, *legal]))
    return found


def is_legal(
    schedule: Schedule, op: NestOp, mark: KernelAttr, target: TargetAttr
) -> bool:
    """Whether a nest may have a schedule, which may be of another algorithm."""
    return not isinstance(nest_for(schedule, op.members, mark, target), Refusal)


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
