"""`linalg.scan` to loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.algorithms.scan.scan_columns import ScanColumns
from devproc.algorithms.scan.scan_rows import ScanRows
from devproc.algorithms.scan.scan_squares import ScanSquares
from devproc.dialects.linalg_scan import ScanOp
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import target_of
from devproc.transforms.cpu.loops.vector_types import memref_of


@dataclass(frozen=True)
class LowerScanPass(ModulePass):
    """What a scan means in loops: each element is read once, and what came before it
    stays in registers.

    Before:
    ```mlir
    func.func private @sums(%x: memref<9x5xi64>, %y: memref<9x5xi64>) attributes {
        dev.kernel = #dev.kernel<"cpu", "scan", ["nn.cumsum"]>} {
      linalg.scan %x into %y axis 0 start [0 : i64] {
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
        target = target_of(op)
        for function in cpu_kernels(op, "scan"):
            emitter = Emitter(function.body.block)
            for scan in list(function.body.block.ops):
                if isinstance(scan, ScanOp):
                    emitter.location = scan.location
                    lower(scan, emitter, target.vector_bits.data, target.threads.data)
                    emitter.replace([scan])


def lower(op: ScanOp, emitter: Emitter, vector_bits: int, threads: int) -> None:
    """Emit the loops: over columns, or over groups of rows and those left over.

    Rows shorter than a vector are columns of which there is one.
    """
    if 0 in memref_of(op.operand).get_shape():
        return
    squares = ScanSquares(op, emitter, vector_bits, threads)
    if squares.after > 1 or (squares.is_cheap and squares.size < squares.lanes):
        ScanColumns(op, emitter, vector_bits, threads).lower()
        return
    squares.lower()
    first = squares.before - squares.left
    if squares.left and squares.is_cheap:
        ScanRows(op, emitter, vector_bits, threads).lower(first)
    elif squares.left:
        squares.rows(emitter.index(first), squares.left)
