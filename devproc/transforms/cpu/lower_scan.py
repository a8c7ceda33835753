"""`linalg_ext.scan` to loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.transforms.cpu.schedule_by import schedule_by


@dataclass(frozen=True)
class LowerScanPass(ModulePass):
    """What a scan means in loops: each element is read once, and what came before it
    stays in registers.

    Before:
    ```mlir
    func.func private @sums(%x: memref<9x5xi64>, %y: memref<9x5xi64>) attributes {
        dev.kernel = #dev.kernel<"cpu", "scan", ["nn.cumsum"]>} {
      linalg_ext.scan %x into %y axis 0 start [0 : i64] {
      ^bb0(%before: i64, %here: i64):
        %sum = arith.addi %before, %here : i64
        linalg.yield %sum : i64
      } : (memref<9x5xi64>, memref<9x5xi64>) -> ()
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @sums(%x: memref<9x5xi64>, %y: memref<9x5xi64>) attributes {
        dev.kernel = #dev.kernel<"cpu", "scan", ["nn.cumsum"]>} {
      %source = plan.view %x : memref<9x5xi64> -> memref<1x9x5xi64>
      %target = plan.view %y : memref<9x5xi64> -> memref<1x9x5xi64>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %start = arith.constant dense<0> : vector<5xi64>
      %c9 = arith.constant 9 : index
      %all = scf.for %i = %c0 to %c9 step %c1 iter_args(%before = %start) -> (vector<5xi64>) {
        %here = vector.load %source[%c0, %i, %c0] : memref<1x9x5xi64>, vector<5xi64>
        %sum = arith.addi %before, %here : vector<5xi64>
        vector.store %sum, %target[%c0, %i, %c0] : memref<1x9x5xi64>, vector<5xi64>
        scf.yield %sum : vector<5xi64>
      }
      func.return
    }
    ```
    """

    name = "lower-scan"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        schedule_by("scan", op, "scan")
