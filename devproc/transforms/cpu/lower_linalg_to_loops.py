"""`linalg` on memrefs to loops over single elements: what no schedule took.

Correct for every structured op; the schedules before it are the fast forms. Reductions
run innermost with their accumulators in registers.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from devproc.dialects import plan
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.schedule_by import schedule_by


def erase_unused_memory(block: Block) -> None:
    """Temporaries that only named a shape, or whose values stayed in registers."""
    for op in reversed(list(block.ops)):
        unused = not any(result.uses for result in op.results)
        if isinstance(op, memref.AllocaOp | plan.ViewOp) and unused:
            op.detach()
            op.erase()


@dataclass(frozen=True)
class LowerLinalgToLoopsPass(ModulePass):
    """The fallback: every `linalg` op left in a CPU kernel as loops over elements.

    Before:
    ```mlir
    func.func private @row_sum(%x: memref<4x8xf32>, %y: memref<4xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce"]>} {
      linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]
      } ins(%x : memref<4x8xf32>) outs(%y : memref<4xf32>) {
      ^bb0(%a: f32, %acc: f32):
        %s = arith.addf %acc, %a : f32
        linalg.yield %s : f32
      }
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @row_sum(%x: memref<4x8xf32>, %y: memref<4xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce"]>} {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c4 step %c1 {
        %init = memref.load %y[%i] : memref<4xf32>
        %sum = scf.for %j = %c0 to %c8 step %c1 iter_args(%acc = %init) -> (f32) {
          %a = memref.load %x[%i, %j] : memref<4x8xf32>
          %s = arith.addf %acc, %a : f32
          scf.yield %s : f32
        }
        memref.store %sum, %y[%i] : memref<4xf32>
      }
      func.return
    }
    ```
    """

    name = "lower-linalg-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        schedule_by("elements", op)
        for function in cpu_kernels(op):
            erase_unused_memory(function.body.block)
