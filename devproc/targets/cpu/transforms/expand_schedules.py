"""Expands scheduled nests to loops and vectors."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects.dev import TargetAttr, target_of
from devproc.ir.program.kernel_modules import ALGORITHM, host_kernels
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.tiles.scheduled import nests, scheduled
from devproc.targets.cpu.transforms.tiles.unused import erase_unused


def expand(kernel: FuncOp, target: TargetAttr) -> None:
    """Replace each nest of a kernel by its loops.

    Raises PassFailedException for a schedule that is not legal for its nest, and for a
    nest that is lowered through tiles.
    """
    kernel.attributes.pop(ALGORITHM, None)
    found = list(nests(kernel))
    if not found:
        return
    emitter = Emitter(kernel.body.block)
    emitter.adopt()
    for op in found:
        nest = scheduled(kernel, op, target)
        if nest.algorithm.tiled:
            raise PassFailedException(
                f"the nest{op.label} of the kernel @{kernel.sym_name.data} has tiles;"
                " lower it with 'tile-nests', 'open-tiles' and 'unroll-tiles'"
            )
        emitter.location = op.location
        nest.algorithm.expand(nest.nest, op.schedule, emitter, target)
        emitter.replace([op])
    erase_unused(kernel.body.block)


@dataclass(frozen=True)
class ExpandSchedulesPass(ModulePass):
    """Expands nests whose algorithms do not use tiles to loops.

    Makes no decisions: the algorithm of a schedule emits the loops from the nest and
    the schedule alone. A schedule that is not legal for its nest is an error with the
    reason.

    Before:
    ```mlir
    func.func private @double(%x: memref<3xf32>, %y: memref<3xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
      sched.nest @n0 #sched.elements<spread = 0, grain = none>
          why "no other algorithm takes it" {
        linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]
        } ins(%x : memref<3xf32>) outs(%y : memref<3xf32>) {
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
    func.func private @double(%x: memref<3xf32>, %y: memref<3xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %c3 step %c1 {
        %a = memref.load %x[%i] : memref<3xf32>
        %s = arith.addf %a, %a : f32
        memref.store %s, %y[%i] : memref<3xf32>
      }
      func.return
    }
    ```
    """

    name = "expand-schedules"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in host_kernels(op):
            expand(kernel, target)
