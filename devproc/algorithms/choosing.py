"""Which algorithm computes which ops of a kernel, and whether a given schedule is
legal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms import algorithm
from devproc.algorithms.base import Algorithm, Choice, KernelOps, Nest, Refusal
from devproc.backend.installed import backend
from devproc.dialects.dev import KernelAttr, TargetAttr
from devproc.dialects.sched import NestOp, Schedule
from devproc.ir.program.kernel_modules import kernel_mark

AnyAlgorithm: TypeAlias = Algorithm[Any, Any]


@dataclass(frozen=True)
class ChosenNest:
    """A nest, the algorithm that computes it, and its schedule with the reason."""

    nest: Nest
    algorithm: AnyAlgorithm
    choice: Choice


def choose(
    kernel: KernelOps, target: TargetAttr, algorithms: Iterable[AnyAlgorithm]
) -> list[ChosenNest]:
    """A schedule for each nest of a kernel, in the order of their first ops.

    Each algorithm is tried on the ops that no earlier one accepted; ops that all refuse
    are not in the result. Raises PassFailedException if an `exclusive` algorithm
    refuses.
    """
    place = {op: number for number, op in enumerate(kernel.ops)}
    left, chosen = dict(place), list[ChosenNest]()
    for candidate in algorithms:
        if not left:
            break
        if len(left) < len(kernel.ops):
            kernel = KernelOps(list(left), kernel.family)
        for nest in candidate.match(kernel):
            decision = candidate.plan(nest, kernel.family, target)
            if isinstance(decision, Refusal):
                if candidate.exclusive:
                    raise PassFailedException(
                        f"'{candidate.name}' refuses the nest, and no other algorithm"
                        f" computes it: {decision.why}"
                    )
                continue
            chosen.append(ChosenNest(nest, candidate, decision))
            for op in nest.ops:
                del left[op]
    return sorted(chosen, key=lambda nest: place[nest.nest.ops[0]])


def refusals_of(
    kernel: KernelOps, target: TargetAttr, algorithms: Iterable[AnyAlgorithm]
) -> list[str]:
    """The reasons why algorithms refuse these ops, each as "name: reason"."""
    found: list[str] = []
    for candidate in algorithms:
        for nest in candidate.match(kernel):
            decision = candidate.plan(nest, kernel.family, target)
            if isinstance(decision, Refusal):
                found.append(f"{candidate.name}: {decision.why}")
    return found


def nest_for(
    schedule: Schedule, ops: Sequence[Operation], mark: KernelAttr, target: TargetAttr
) -> Nest | Refusal:
    """The nest that the algorithm of a schedule matches in these ops of a kernel.

    A refusal gives the reason why the schedule is not legal for them.
    """
    name, device = schedule.algorithm, mark.device.data
    if name not in backend(device).algorithms:
        return Refusal(f"'{name}' computes no kernels of the device '{device}'")
    taker = algorithm(name)
    nest = taker.nest_of(KernelOps(ops, mark.family.data))
    if nest is None:
        names = ", ".join(op.name for op in ops)
        return Refusal(f"{names}: no nest that '{name}' computes")
    problem = taker.problem(nest, schedule, target)
    return nest if problem is None else Refusal(problem)


def scheduled_nest(
    op: NestOp, kernel: FuncOp, target: TargetAttr, schedule: Schedule | None = None
) -> Nest:
    """The nest of a scheduled op, as the algorithm of its schedule, or of another one,
    expands it.

    Raises PassFailedException for a schedule that is not legal for its nest.
    """
    mark = kernel_mark(kernel)
    assert mark is not None
    schedule = op.schedule if schedule is None else schedule
    nest = nest_for(schedule, op.members, mark, target)
    if isinstance(nest, Refusal):
        raise PassFailedException(
            f"the nest{op.label} of the kernel @{kernel.sym_name.data} cannot have the"
            f" schedule {schedule}: {nest.why}"
        )
    return nest
