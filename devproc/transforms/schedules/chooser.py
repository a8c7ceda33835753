"""The schedules of one kernel: who computes each of its nests, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms import algorithm
from devproc.algorithms.base import Choice, KernelOps, Nest, Refusal
from devproc.algorithms.choosing import (
    AnyAlgorithm,
    ChosenNest,
    choose,
    nest_for,
    refusals_of,
)
from devproc.dialects.dev import KernelAttr, Layout, TargetAttr, stored_as
from devproc.dialects.sched import NestOp, Schedule
from devproc.dialects.sched.ops import ScheduledOp, is_structured
from devproc.dialects.sched.overrides import illegal
from devproc.errors import CompileError
from devproc.ir.program.kernel_modules import (
    ALGORITHM,
    algorithm_of,
)
from devproc.ir.program.weight_values import is_read_by_element
from devproc.ir.text.location import describe_location

BY_THE_USER = "chosen by the user"
"""The reason of a schedule that was overridden."""


@dataclass(frozen=True)
class Chooser:
    """Chooses the schedules of one kernel."""

    kernel: FuncOp
    mark: KernelAttr
    target: TargetAttr
    algorithms: Sequence[str]
    override: Schedule | None

    def run(self, complete: bool) -> None:
        """Wrap the ops of each nest; those that have a schedule keep it.

        With `complete`, raises CompileError for an op that all algorithms refuse.
        """
        ops = list(filter(is_structured, self.kernel.body.block.ops))
        found = self.found(ops) if ops else []
        if complete:
            self.require_all(ops, found)
        if self.override is not None:
            found = self.overridden(found, self.override)
        for number, chosen in enumerate(found):
            wrap(chosen.nest.ops, chosen.choice, f"n{number}")

    def found(self, ops: Sequence[Operation]) -> list[ChosenNest]:
        """The nests with their schedules; the algorithm that the kernel is assigned to
        is tried first, and if it is the override's, uses that schedule."""
        owner, override = self.owner(), self.override
        names = sorted(self.algorithms, key=lambda name: name != owner)
        takers: list[AnyAlgorithm] = list(map(algorithm, names))
        if override is not None and override.algorithm == owner:
            takers[0] = replace(takers[0], plan=self.plan_of(takers[0], override))
        return self.choose(ops, takers) or [
            nest for op in ops for nest in self.choose([op], takers)
        ]

    def choose(
        self, ops: Sequence[Operation], takers: Sequence[AnyAlgorithm]
    ) -> list[ChosenNest]:
        """The nests of these ops, each with its schedule."""
        return choose(KernelOps(ops, self.mark.family.data), self.target, takers)

    def owner(self) -> str | None:
        """The algorithm that the kernel is assigned to.

        Raises PassFailedException for a kernel with a packed weight and no assignment.
        """
        owner = algorithm_of(self.kernel)
        for argument in self.kernel.body.block.args if owner is None else ():
            type_: Attribute = argument.type
            is_packed = isinstance(type_, MemRefType) and stored_as(argument, Layout)
            if is_packed and not is_read_by_element(argument):
                raise PassFailedException(
                    f"the kernel @{self.kernel.sym_name.data} has a packed weight, of the"
                    f" type {type_}, but no {ALGORITHM} that reads its layout"
                )
        return owner

    def plan_of(self, taker: AnyAlgorithm, schedule: Schedule) -> Callable[..., Choice]:
        """A `plan` function that uses the user's schedule or raises CompileError."""

        def plan(nest: Nest, family: str, target: TargetAttr) -> Choice:
            problem = taker.problem(nest, schedule, target)
            if problem is not None:
                raise illegal(self.kernel.sym_name.data, schedule, [problem])
            return Choice(schedule, BY_THE_USER)

        return plan

    def overridden(
        self, found: Sequence[ChosenNest], schedule: Schedule
    ) -> list[ChosenNest]:
        """The same nests, with this schedule where it is legal.

        Raises CompileError if it is legal for no nest.
        """
        result: list[ChosenNest] = []
        problems: list[str] = []
        for chosen in found:
            nest = nest_for(schedule, chosen.nest.ops, self.mark, self.target)
            if isinstance(nest, Refusal):
                problems.append(nest.why)
            else:
                choice = Choice(schedule, BY_THE_USER)
                chosen = ChosenNest(nest, algorithm(schedule.algorithm), choice)
            result.append(chosen)
        if len(problems) == len(found):
            raise illegal(self.kernel.sym_name.data, schedule, problems)
        return result

    def require_all(
        self, ops: Sequence[Operation], found: Sequence[ChosenNest]
    ) -> None:
        """Raises CompileError with the reasons if an op is in no nest."""
        taken = {op for chosen in found for op in chosen.nest.ops}
        left = [op for op in ops if op not in taken]
        if not left:
            return
        reasons = [
            reason
            for tried in (ops, left[:1])
            for reason in refusals_of(
                KernelOps(tried, self.mark.family.data),
                self.target,
                map(algorithm, self.algorithms),
            )
        ]
        raise CompileError(
            f"kernel '{self.kernel.sym_name.data}'"
            f" ({describe_location(self.kernel.location)}) fits no schedule of the"
            f" device '{self.mark.device.data}': '{left[0].name}':"
            f" {'; '.join(dict.fromkeys(reasons)) or 'no algorithm knows it'}."
            " Place it on the CPU"
        )


def wrap(ops: Sequence[Operation], choice: Choice, name: str) -> ScheduledOp:
    """Move the ops of a nest into a `sched.nest` at the position of the last one."""
    place = InsertPoint.after(ops[-1])
    anchor = next((op for op in ops if not isinstance(op, FillOp)), ops[-1])
    for op in ops:
        op.detach()
    nest = NestOp(choice.schedule, choice.why, ops, name)
    nest.location = anchor.location
    Rewriter.insert_op(nest, place)
    return nest
