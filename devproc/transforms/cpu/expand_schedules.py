"""Scheduled nests become loops and vectors."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects.dev import TargetAttr
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import target_of
from devproc.transforms.cpu.tiles.scheduled import nests, scheduled
from devproc.transforms.cpu.tiles.unused import erase_unused


def expand(kernel: FuncOp, target: TargetAttr) -> None:
    """Put the loops of each nest of a kernel in its place.

    Raises PassFailedException for a schedule that is not legal for its nest, and for a
    nest that takes the road over tiles.
    """
    emitter = Emitter(kernel.body.block)
    emitter.adopt()
    for op in nests(kernel):
        found = scheduled(kernel, op, target)
        if found.algorithm.expand is None:
            raise PassFailedException(
                f"the nest{op.label} of the kernel @{kernel.sym_name.data} has tiles:"
                " 'tile-nests', 'open-tiles' and 'unroll-tiles' make its loops"
            )
        emitter.location = op.location
        found.algorithm.expand(found.nest, op.schedule, emitter, target)
        emitter.replace([op])
    erase_unused(kernel.body.block)


@dataclass(frozen=True)
class ExpandSchedulesPass(ModulePass):
    """Carries out what the schedules say: the loops of each nest, its vectors, its order.

    Nests that have become tiles are gone by then (`tile-nests`); the others have algorithms
    that make vectors at once.

    Decides nothing: the algorithm that a schedule names makes the loops from the nest and
    the schedule alone. One that is not legal for its nest is an error that says why.

    Before:
    ```mlir
    func.func private @double(%x: memref<2x8xf32>, %y: memref<2x8xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
      sched.nest @n0 #sched.elements<spread = 0, grain = none> why "one by one" {
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
      %c2 = arith.constant 2 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c2 step %c1 {
        scf.for %j = %c0 to %c8 step %c1 {
          %a = memref.load %x[%i, %j] : memref<2x8xf32>
          %s = arith.addf %a, %a : f32
          memref.store %s, %y[%i, %j] : memref<2x8xf32>
        }
      }
      func.return
    }
    ```
    """

    name = "expand-schedules"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in cpu_kernels(op):
            expand(kernel, target)
