"""Pointwise kernels: vectors along the contiguous loop, rows over threads.

Takes every `linalg` op of a CPU kernel whose loops are all parallel, so fills, padding
copies and gathers too.
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
class SchedulePointwisePass(ModulePass):
    """Vectorises ops whose loops are all parallel.

    Loops that all operands walk as one are merged first: here two rows of eight become
    one vector of sixteen.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @double(%x: memref<2x8xf32>, %y: memref<2x8xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
        linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]
        } ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {
        ^bb0(%a: f32, %unused: f32):
          %s = arith.addf %a, %a : f32
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
      func.func private @double(%x: memref<2x8xf32>, %y: memref<2x8xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
        %c0 = arith.constant 0 : index
        %xv = plan.view %x : memref<2x8xf32> -> memref<16xf32>
        %yv = plan.view %y : memref<2x8xf32> -> memref<16xf32>
        %a = vector.load %xv[%c0] : memref<16xf32>, vector<16xf32>
        %s = arith.addf %a, %a : vector<16xf32>
        vector.store %s, %yv[%c0] : memref<16xf32>, vector<16xf32>
        func.return
      }
    }
    ```
    """

    name = "schedule-pointwise"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for function in cpu_kernels(op):
            schedule_outputs(function, target)
