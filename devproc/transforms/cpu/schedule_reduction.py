"""Reductions: along contiguous columns by rows, else along a contiguous row loop.

Gathers with taps (resampling) are reductions of the second form: each output element
sums a few picked elements, and neighbours are computed together.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.kernels import target_of
from devproc.transforms.cpu.outputs import schedule_outputs


@dataclass(frozen=True)
class ScheduleReductionPass(ModulePass):
    """Vectorises reductions and the chains around them.

    A row's columns are read in vectors, each into an accumulator of its own.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @sum(%x: memref<4x16xf32>, %y: memref<4xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
        %zero = arith.constant 0.0 : f32
        linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
        linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]
        } ins(%x : memref<4x16xf32>) outs(%y : memref<4xf32>) {
        ^bb0(%a: f32, %acc: f32):
          %s = arith.addf %acc, %a : f32
          linalg.yield %s : f32
        }
        func.return
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @sum(%x: memref<4x16xf32>, %y: memref<4xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %c1 = arith.constant 1 : index
        %none = arith.constant dense<0.0> : vector<16xf32>
        %c16 = arith.constant 16 : index
        %zero = arith.constant 0.0 : f32
        scf.for %i = %c0 to %c4 step %c1 {
          %a = vector.load %x[%i, %c0] : memref<4x16xf32>, vector<16xf32>
          %s = arith.addf %none, %a : vector<16xf32>
          %across = vector.reduction <add>, %s fastmath<reassoc> : vector<16xf32> into f32
          %sum = arith.addf %zero, %across : f32
          memref.store %sum, %y[%i] : memref<4xf32>
        }
        func.return
      }
    }
    ```
    """

    name = "schedule-reduction"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for function in cpu_kernels(op, "gather", "reduction"):
            schedule_outputs(function, target)
