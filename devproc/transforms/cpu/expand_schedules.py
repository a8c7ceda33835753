"""Scheduled nests become loops and vectors."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from devproc.algorithms import algorithm
from devproc.algorithms.choosing import scheduled_nest
from devproc.dialects import plan
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import NestOp
from devproc.ir.program.kernel_modules import ALGORITHM, cpu_kernels
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import target_of


def expand(kernel: FuncOp, target: TargetAttr) -> None:
    """Put the loops of each nest of a kernel in its place.

    Raises PassFailedException for a schedule that is not legal for its nest.
    """
    emitter = Emitter(kernel.body.block)
    for op in list(kernel.body.block.ops):
        if not isinstance(op, NestOp):
            continue
        nest = scheduled_nest(op, kernel, target)
        emitter.location = op.location
        algorithm(op.schedule.algorithm).expand(nest, op.schedule, emitter, target)
        emitter.replace([op])
    erase_unused_memory(kernel.body.block)
    kernel.attributes.pop(ALGORITHM, None)


def erase_unused_memory(block: Block) -> None:
    """Temporaries that only named a shape, or whose values stayed in registers."""
    for op in reversed(list(block.ops)):
        unused = not any(result.uses for result in op.results)
        if isinstance(op, memref.AllocaOp | plan.ViewOp) and unused:
            op.detach()
            op.erase()


@dataclass(frozen=True)
class ExpandSchedulesPass(ModulePass):
    """Carries out what the schedules say: the loops of each nest, its vectors, its order.

    Decides nothing: the algorithm that a schedule names makes the loops from the nest and
    the schedule alone. One that is not legal for its nest is an error that says why.

    Before:
    ```mlir
    func.func private @double(%x: memref<2x8xf32>, %y: memref<2x8xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
      sched.nest @n0 #sched.vectors<loop = 0, lanes = 16, vectors = 1, inner = none,
          crossing = none, ragged = mask, block = none, split = none, grain = none>
          why "16 contiguous results" {
        linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]
        } ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {
        ^bb0(%a: f32, %unused: f32):
          %s = arith.addf %a, %a : f32
          linalg.yield %s : f32
        }
      }
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @double(%x: memref<2x8xf32>, %y: memref<2x8xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
      %c0 = arith.constant 0 : index
      %xv = plan.view %x : memref<2x8xf32> -> memref<16xf32>
      %yv = plan.view %y : memref<2x8xf32> -> memref<16xf32>
      %c16 = arith.constant 16 : index
      %a = vector.load %xv[%c0] : memref<16xf32>, vector<16xf32>
      %s = arith.addf %a, %a : vector<16xf32>
      vector.store %s, %yv[%c0] : memref<16xf32>, vector<16xf32>
      func.return
    }
    ```
    """

    name = "expand-schedules"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in cpu_kernels(op):
            expand(kernel, target)
