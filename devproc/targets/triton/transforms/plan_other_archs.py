"""Plans the schedules of kernels for the other architectures of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from devproc.algorithms import algorithm
from devproc.algorithms.base import Choice, KernelOps
from devproc.dialects.dev import KernelAttr, TargetAttr, target_of
from devproc.dialects.sched import NestOp
from devproc.ir.program.kernel_modules import device_kernels, kernel_mark
from devproc.targets.triton import GPU
from devproc.targets.triton.dialect.options import gpu_options, with_arch
from devproc.transforms.schedules.chooser import BY_THE_USER

PLANS = "triton.plans"
"""Schedules of a nest by architecture, where they differ from that of the first."""


def other_plans(
    nest: NestOp, mark: KernelAttr, target: TargetAttr
) -> Mapping[str, Attribute]:
    """The schedules of a nest on the other architectures of a target.

    An architecture keeps the schedule of the first one if the user chose it and it is legal
    there, or if the algorithm has none.
    """
    taker, family = algorithm(nest.schedule.algorithm), mark.family.data
    ops = taker.nest_of(KernelOps(nest.members, family))
    plans: dict[str, Attribute] = {}
    for other in gpu_options(target).others if ops is not None else ():
        there = with_arch(target, other.data)
        is_given = nest.why.data == BY_THE_USER
        if is_given and taker.problem(ops, nest.schedule, there) is None:
            continue
        decision = taker.plan(ops, family, there)
        if isinstance(decision, Choice) and decision.schedule != nest.schedule:
            plans[other.data] = decision.schedule
    return plans


@dataclass(frozen=True)
class PlanOtherArchsPass(ModulePass):
    """Plans the schedule of each nest for the other architectures of the same file.

    A program that is compiled ahead of time for several architectures has one list of
    launches, so that its kernels and their nests are those of the first one; tiles are
    not: they depend on shared memory, registers and the number of processors. The
    algorithm of a nest plans it again for each other architecture.

    Before:

    ```mlir
    module attributes {devproc.target = #dev.target<"cuda", cuda = #triton.options<
        arch = "sm_90", interpret = 0, others = ["sm_86"]>>} {
      func.func private @relu(%x: memref<1048576xf32, #dev.on<"cuda">>,
          %y: memref<1048576xf32, #dev.on<"cuda">>)
          attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.relu"]>} {
        %zero = arith.constant 0.0 : f32
        sched.nest @n0 #sched.blocks<size = 2048, warps = 4> why "edited" {
          linalg.generic {
            indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
            iterator_types = ["parallel"]}
            ins(%x : memref<1048576xf32, #dev.on<"cuda">>)
            outs(%y : memref<1048576xf32, #dev.on<"cuda">>) {
          ^bb1(%v: f32, %o: f32):
            %r = arith.maximumf %v, %zero : f32
            linalg.yield %r : f32
          }
        }
        func.return
      }
    }
    ```

    After:

    ```mlir
    module attributes {devproc.target = #dev.target<"cuda", cuda = #triton.options<
        arch = "sm_90", interpret = 0, others = ["sm_86"]>>} {
      func.func private @relu(%x: memref<1048576xf32, #dev.on<"cuda">>,
          %y: memref<1048576xf32, #dev.on<"cuda">>)
          attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.relu"]>} {
        %zero = arith.constant 0.0 : f32
        sched.nest @n0 #sched.blocks<size = 2048, warps = 4> why "edited" {
          linalg.generic {
            indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
            iterator_types = ["parallel"]}
            ins(%x : memref<1048576xf32, #dev.on<"cuda">>)
            outs(%y : memref<1048576xf32, #dev.on<"cuda">>) {
          ^bb1(%v: f32, %o: f32):
            %r = arith.maximumf %v, %zero : f32
            linalg.yield %r : f32
          }
        } {triton.plans = {sm_86 = #sched.blocks<size = 1024, warps = 4>}}
        func.return
      }
    }
    ```
    """

    name = "plan-other-archs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        if not gpu_options(target).others.data:
            return
        for kernel in device_kernels(op, (GPU,)):
            mark = kernel_mark(kernel)
            assert mark is not None
            for nest in kernel.body.block.ops:
                if isinstance(nest, NestOp) and (
                    plans := other_plans(nest, mark, target)
                ):
                    nest.attributes[PLANS] = DictionaryAttr(plans)
