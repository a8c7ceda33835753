"""Each nest of a kernel gets the schedule that its loops will be made by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.algorithms import CPU_ALGORITHMS, algorithm
from devproc.algorithms.base import Choice, KernelOps
from devproc.algorithms.choosing import ChosenNest, choose, problem_of
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import NestOp, Schedule
from devproc.dialects.sched.ops import ScheduledOp, is_structured
from devproc.dialects.sched.overrides import override_for
from devproc.errors import CompileError
from devproc.ir.program.kernel_modules import cpu_kernels, kernel_mark
from devproc.transforms.cpu.loops.kernels import target_of


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
        kernel = KernelOps(list(self.open_ops()), self.family)
        found = choose(kernel, self.target, map(algorithm, self.algorithms))
        if self.override is not None:
            found = self.overridden(found, self.override)
        names = (f"n{n}" for n in range(len(found) + 1))
        for chosen in found:
            wrap(chosen.nest.ops, chosen.choice, next(names))

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
                choice = Choice(schedule, "chosen by the user")
                taker = algorithm(schedule.algorithm)
                chosen = ChosenNest(chosen.nest, taker, choice)
            else:
                problems.append(problem)
            result.append(chosen)
        if len(problems) == len(found):
            listed = "; ".join(dict.fromkeys(problems)) or "it has no structured op"
            raise CompileError(
                f"the kernel @{self.kernel.sym_name.data} cannot have the schedule"
                f" {schedule}: {listed}"
            )
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

    The algorithms are asked in the order of `devproc.algorithms.CPU_ALGORITHMS`; the
    first that takes a nest gives its schedule, with a reason of one line. What comes
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
