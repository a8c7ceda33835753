"""Each nest of a kernel gets the schedule that its loops will be made by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms import CPU_ALGORITHMS, algorithm
from devproc.algorithms.base import Choice, KernelOps, Nest
from devproc.algorithms.choosing import (
    AnyAlgorithm,
    ChosenNest,
    choose,
    problem_of,
)
from devproc.dialects.dev import Layout, TargetAttr
from devproc.dialects.sched import NestOp, Schedule
from devproc.dialects.sched.ops import ScheduledOp, is_structured
from devproc.dialects.sched.overrides import illegal, override_for
from devproc.ir.program.kernel_modules import (
    ALGORITHM,
    algorithm_of,
    cpu_kernels,
    kernel_mark,
)
from devproc.transforms.cpu.loops.access import stored_as
from devproc.transforms.cpu.loops.kernels import target_of

BY_THE_USER = "chosen by the user"
"""The reason of a schedule that was overridden."""


@dataclass(frozen=True)
class Chooser:
    """Chooses the schedules of one kernel."""

    kernel: FuncOp
    family: str
    target: TargetAttr
    algorithms: Sequence[str]
    override: Schedule | None

    def run(self) -> None:
        """Wrap the ops of each nest; those that have a schedule keep it."""
        found = self.found()
        names = (f"n{n}" for n in range(len(found) + 1))
        for chosen in found:
            wrap(chosen.nest.ops, chosen.choice, next(names))

    def found(self) -> list[ChosenNest]:
        """The nests with their schedules; the algorithm that the kernel belongs to is
        asked first."""
        kernel, override = KernelOps(list(self.open_ops()), self.family), self.override
        owner = self.owner()
        names = sorted(self.algorithms, key=lambda name: name != owner)
        takers: list[AnyAlgorithm] = list(map(algorithm, names))
        if override is None:
            return choose(kernel, self.target, takers)
        if override.algorithm != owner:
            return self.overridden(choose(kernel, self.target, takers), override)
        takers[0] = replace(takers[0], plan=self.plan_of(takers[0], override))
        found = choose(kernel, self.target, takers)
        if not any(chosen.choice.schedule == override for chosen in found):
            problem = f"no nest that '{owner}' computes"
            raise illegal(self.kernel.sym_name.data, override, [problem])
        return found

    def owner(self) -> str | None:
        """The algorithm that the kernel belongs to.

        Raises PassFailedException for one with a packed weight that belongs to none.
        """
        owner = algorithm_of(self.kernel)
        for argument in self.kernel.body.block.args if owner is None else ():
            type_: Attribute = argument.type
            if isinstance(type_, MemRefType) and stored_as(argument, Layout):
                raise PassFailedException(
                    f"the kernel @{self.kernel.sym_name.data} has a packed weight, of the"
                    f" type {type_}, but no {ALGORITHM} that reads its layout"
                )
        return owner

    def plan_of(self, taker: AnyAlgorithm, schedule: Schedule) -> Callable[..., Choice]:
        """A plan that takes a schedule of the user, or raises CompileError."""

        def plan(nest: Nest, family: str, target: TargetAttr) -> Choice:
            problem = taker.problem(nest, schedule, target)
            if problem is not None:
                raise illegal(self.kernel.sym_name.data, schedule, [problem])
            return Choice(schedule, BY_THE_USER)

        return plan

    def open_ops(self) -> Iterator[Operation]:
        """The structured ops without a schedule, in order."""
        return filter(is_structured, self.kernel.body.block.ops)

    def overridden(
        self, found: Sequence[ChosenNest], schedule: Schedule
    ) -> list[ChosenNest]:
        """The same nests, with this schedule where it is legal.

        Raises CompileError where no nest takes it.
        """
        result: list[ChosenNest] = []
        problems: list[str] = []
        for chosen in found:
            problem = problem_of(schedule, chosen.nest.ops, self.family, self.target)
            if problem is None:
                choice = Choice(schedule, BY_THE_USER)
                taker = algorithm(schedule.algorithm)
                chosen = ChosenNest(chosen.nest, taker, choice)
            else:
                problems.append(problem)
            result.append(chosen)
        if len(problems) == len(found):
            raise illegal(self.kernel.sym_name.data, schedule, problems)
        return result


def wrap(ops: Sequence[Operation], choice: Choice, name: str) -> ScheduledOp:
    """Put the ops of a nest into a `sched.nest` in the place of the last of them."""
    place = InsertPoint.after(ops[-1])
    anchor = next((op for op in ops if not isinstance(op, FillOp)), ops[-1])
    for op in ops:
        op.detach()
    nest = NestOp(choice.schedule, choice.why, ops, name)
    nest.location = anchor.location
    Rewriter.insert_op(nest, place)
    return nest


@dataclass(frozen=True)
class ChooseSchedulesPass(ModulePass):
    """Decides how each nest of a CPU kernel is computed, and writes it down.

    The algorithms are asked in the order of `devproc.algorithms.CPU_ALGORITHMS`, but first
    the one that a packed weight was laid out for (`sched.algorithm`); the first that takes
    a nest gives its schedule, with a reason of one line. What comes
    after this pass carries the schedule out and decides nothing: a schedule that is
    edited in the text is one that is compiled. Nests that have a schedule keep it;
    `devproc.schedules` on the module has those of the user, by pattern on the names of
    kernels.

    Before:
    ```mlir
    func.func private @relu(%x: memref<8x64xf32>, %y: memref<8x64xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
      %zero = arith.constant 0.0 : f32
      linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>) {
      ^bb0(%a: f32, %unused: f32):
        %r = arith.maximumf %a, %zero : f32
        linalg.yield %r : f32
      }
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @relu(%x: memref<8x64xf32>, %y: memref<8x64xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
      %zero = arith.constant 0.0 : f32
      sched.nest @n0 #sched.vectors<loop = 0, lanes = 8, vectors = 4, inner = none,
          crossing = none, ragged = mask, block = none, split = none, grain = none>
          why "512 contiguous results of 1 terms, 1 operations each; vectors of 8" {
        linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]
        } ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>) {
        ^bb0(%a: f32, %unused: f32):
          %r = arith.maximumf %a, %zero : f32
          linalg.yield %r : f32
        }
      }
      func.return
    }
    ```
    """

    name = "choose-schedules"

    algorithms: tuple[str, ...] = tuple(CPU_ALGORITHMS)
    """Those that are asked, in order."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in cpu_kernels(op):
            mark, name = kernel_mark(kernel), kernel.sym_name.data
            assert mark is not None
            override = override_for(op, name)
            Chooser(kernel, mark.family.data, target, self.algorithms, override).run()
