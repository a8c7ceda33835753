"""Which algorithm computes which ops of a kernel, and whether a given schedule may."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms import algorithm
from devproc.algorithms.base import Algorithm, Choice, KernelOps, Nest, Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import Schedule

AnyAlgorithm: TypeAlias = Algorithm[Any, Any]


@dataclass(frozen=True)
class ChosenNest:
    """A nest, the algorithm that takes it, and its schedule with the reason.

    `refusals`: why earlier algorithms did not take these ops, each as "name: reason".
    """

    nest: Nest
    algorithm: AnyAlgorithm
    choice: Choice
    refusals: tuple[str, ...] = ()


def choose(
    kernel: KernelOps, target: TargetAttr, algorithms: Iterable[AnyAlgorithm]
) -> list[ChosenNest]:
    """A schedule for each nest of a kernel, in the order of their first ops.

    Each algorithm in turn is shown the ops that none before it took; what all refuse is
    left out. Raises PassFailedException where one refuses that no other stands in for.
    """
    place = {op: number for number, op in enumerate(kernel.ops)}
    left, chosen = dict(place), list[ChosenNest]()
    refused: defaultdict[Operation, list[str]] = defaultdict(list)
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
                        f"'{candidate.name}' does not take it, nor can any other: {decision.why}"
                    )
                refused[nest.ops[0]].append(f"{candidate.name}: {decision.why}")
                continue
            reasons = [reason for op in nest.ops for reason in refused[op]]
            chosen.append(ChosenNest(nest, candidate, decision, tuple(reasons)))
            for op in nest.ops:
                del left[op]
    return sorted(chosen, key=lambda nest: place[nest.nest.ops[0]])


def choose_apart(
    kernel: KernelOps, target: TargetAttr, algorithms: Sequence[AnyAlgorithm]
) -> list[ChosenNest]:
    """The same, and what all refuse is tried op by op."""
    chosen = choose(kernel, target, algorithms)
    if chosen or len(kernel.ops) == 1:
        return chosen
    return [
        nest
        for op in kernel.ops
        for nest in choose(KernelOps([op], kernel.family), target, algorithms)
    ]


def refusals_of(
    kernel: KernelOps, target: TargetAttr, algorithms: Iterable[AnyAlgorithm]
) -> list[str]:
    """Why each algorithm does not take these ops, as "name: reason"."""
    found: list[str] = []
    for candidate in algorithms:
        for nest in candidate.match(kernel):
            decision = candidate.plan(nest, kernel.family, target)
            if isinstance(decision, Refusal):
                found.append(f"{candidate.name}: {decision.why}")
    return found


def problem_of(
    schedule: Schedule, ops: Sequence[Operation], family: str, target: TargetAttr
) -> str | None:
    """Why the ops of a nest cannot have a schedule; None if they can."""
    taker = algorithm(schedule.algorithm)
    nest = taker.nest_of(KernelOps(ops, family))
    if nest is None:
        names = ", ".join(op.name for op in ops)
        return f"{names}: no nest that '{taker.name}' computes"
    return taker.problem(nest, schedule, target)
