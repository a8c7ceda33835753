"""`linalg_ext.scatter` to loops: each update goes to its place, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.transforms.cpu.schedule_by import schedule_by


@dataclass(frozen=True)
class LowerScatterPass(ModulePass):
    """What a scatter means in loops: work for each update, none for the other elements.

        Before:
        ```mlir
        func.func private @add_rows(%u: memref<2x4xf32>, %i: memref<2x1xi64>, %t: memref<9x4xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
      linalg_ext.scatter %u at %i into %t axis 0 {
      ^bb0(%new: f32, %old: f32):
        %sum = arith.addf %old, %new : f32
        linalg.yield %sum : f32
      } : (memref<2x4xf32>, memref<2x1xi64>, memref<9x4xf32>) -> ()
      func.return
    }
        ```

        After:
        ```mlir
        func.func private @add_rows(%u: memref<2x4xf32>, %i: memref<2x1xi64>, %t: memref<9x4xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
      %0 = arith.constant 0 : index
      %1 = arith.constant 2 : index
      %2 = arith.constant 1 : index
      %3 = arith.constant 9 : index
      %4 = arith.constant 4 : index
      scf.for %5 = %0 to %1 step %2 {
        %i_1 = memref.load %i[%5, %0] : memref<2x1xi64>
        %6 = arith.index_cast %i_1 : i64 to index
        %7 = arith.cmpi ult, %6, %3 : index
        scf.if %7 {
          scf.for %8 = %0 to %4 step %2 {
            %u_1 = memref.load %u[%5, %8] : memref<2x4xf32>
            %t_1 = memref.load %t[%6, %8] : memref<9x4xf32>
            %sum = arith.addf %t_1, %u_1 : f32
            memref.store %sum, %t[%6, %8] : memref<9x4xf32>
          }
        } else {
        }
      }
      func.return
    }
        ```
    """

    name = "lower-scatter"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        schedule_by("scatter", op, "scatter")
