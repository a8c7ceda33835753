"""Resampling: rows in vectors of neighbours, columns of pixels four rows at once."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.transforms.cpu.schedule_by import schedule_by


@dataclass(frozen=True)
class ScheduleResamplePass(ModulePass):
    """Vectorises `nn.resample`.

    What follows the axis in memory has the same taps, so along the height whole rows are
    weighted and added, width and channels as one.

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
        schedule_by("resample", op, "gather")
