"""Resampling: rows in vectors of neighbours, columns of pixels four rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from devproc.algorithms.resample.tap_columns import TapColumns, fits_columns
from devproc.algorithms.resample.tap_rows import TapRows
from devproc.algorithms.resample.tap_sum import TapSum, match_tap_sum
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.groups import match_group
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import StructuredOp, structured_ops, target_of

FEW = 8
"""Neighbours with the same taps from which on rows are resampled whole."""


def is_better_fused(ops: Sequence[StructuredOp], position: int, taps: TapSum) -> bool:
    """Whether another schedule keeps float sums in registers for what follows them."""
    return (
        taps.widened is None
        and taps.nest.epilogue is None
        and taps.shape[-2] >= 2 * FEW
        and match_group(ops, position).epilogue is not None
    )


def schedule_resampling(function: FuncOp, vector_bits: int, threads: int) -> None:
    """The resampling of a kernel as loops over vectors."""
    emitter = Emitter(function.body.block)
    ops = structured_ops(function)
    for position, op in enumerate(ops):
        if op.parent is None:
            continue
        taps = match_tap_sum(ops, position)
        if taps is None or is_better_fused(ops, position, taps):
            continue
        emitter.location = op.location
        if fits_columns(taps):
            TapColumns(taps, emitter, vector_bits, threads).emit()
        elif taps.inner >= FEW and taps.row_axis is None:
            TapRows(taps, emitter, vector_bits, threads).emit()
        else:
            continue
        emitter.replace(taps.nest.ops)


@dataclass(frozen=True)
class ScheduleResamplePass(ModulePass):
    """Vectorises `nn.resample`.

    What follows the axis in memory has the same taps, so along the height whole rows are
    weighed and added up, width and channels as one.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @halve(%first: memref<2xi32>, %taps: memref<2x2xi32>,
          %x: memref<4x16xi8>, %y: memref<2x16xi32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "gather", ["nn.resample"]>} {
        %zero = arith.constant 0 : i32
        linalg.fill ins(%zero : i32) outs(%y : memref<2x16xi32>)
        linalg.generic {
          indexing_maps = [affine_map<(o, c, t) -> (o)>, affine_map<(o, c, t) -> (o, t)>,
            affine_map<(o, c, t) -> (o, c)>],
          iterator_types = ["parallel", "parallel", "reduction"]
        } ins(%first, %taps : memref<2xi32>, memref<2x2xi32>) outs(%y : memref<2x16xi32>) {
        ^bb0(%start: i32, %tap: i32, %total: i32):
          %i = arith.index_cast %start : i32 to index
          %t = linalg.index 2 : index
          %row = arith.addi %i, %t : index
          %c = linalg.index 1 : index
          %pixel = memref.load %x[%row, %c] : memref<4x16xi8>
          %wide = arith.extui %pixel : i8 to i32
          %product = arith.muli %wide, %tap : i32
          %sum = arith.addi %total, %product : i32
          linalg.yield %sum : i32
        }
        func.return
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @halve(%first: memref<2xi32>, %taps: memref<2x2xi32>,
          %x: memref<4x16xi8>, %y: memref<2x16xi32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "gather", ["nn.resample"]>} {
        %xv = plan.view %x : memref<4x16xi8> -> memref<1x4x16xi8>
        %yv = plan.view %y : memref<2x16xi32> -> memref<1x2x16xi32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %none = arith.constant dense<0> : vector<16xi32>
        %zero = arith.constant 0 : i32
        scf.for %o = %c0 to %c2 step %c1 {
          %f = memref.load %first[%o] : memref<2xi32>
          %start = arith.index_cast %f : i32 to index
          %sums = scf.for %t = %c0 to %c2 step %c1 iter_args(%total = %none) -> (vector<16xi32>) {
            %tap = memref.load %taps[%o, %t] : memref<2x2xi32>
            %row = arith.addi %start, %t : index
            %pixels = vector.load %xv[%c0, %row, %c0] : memref<1x4x16xi8>, vector<16xi8>
            %wide = simd.extui %pixels : vector<16xi8> to vector<16xi32>
            %weights = vector.broadcast %tap : i32 to vector<16xi32>
            %products = arith.muli %wide, %weights : vector<16xi32>
            %sum = arith.addi %total, %products : vector<16xi32>
            scf.yield %sum : vector<16xi32>
          }
          vector.store %sums, %yv[%c0, %o, %c0] : memref<1x2x16xi32>, vector<16xi32>
        }
        func.return
      }
    }
    ```
    """

    name = "schedule-resample"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for function in cpu_kernels(op, "gather"):
            schedule_resampling(function, target.vector_bits.data, target.threads.data)
