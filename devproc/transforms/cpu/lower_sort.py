"""`linalg_ext.sort` to loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.transforms.cpu.schedule_by import schedule_by


@dataclass(frozen=True)
class LowerSortPass(ModulePass):
    """What an order means in loops: structured ops whose iterations have one.

    Short rows compare all elements with all; in long ones digits are counted; a few first
    elements make a list; one alone is searched for.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 128,
        threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
      func.func private @sort(%x: memref<4xi32>, %i: memref<4xi64>)
      attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
        linalg_ext.sort %x into %i : (memref<4xi32>, memref<4xi64>) -> ()
        func.return
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 128,
        threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
      func.func private @sort(%x: memref<4xi32>, %i: memref<4xi64>)
      attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
        %0 = arith.constant 0 : index
        %1 = arith.constant 4 : index
        %2 = arith.constant 1 : index
        %3 = arith.constant dense<1> : vector<4xi32>
        %4 = arith.constant dense<0> : vector<4xi32>
        %5 = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
        %6 = memref.alloca() {alignment = 64 : i64} : memref<4xi32, #dev.on<"cpu">>
        %7 = memref.alloca() {alignment = 64 : i64} : memref<4xi32, #dev.on<"cpu">>
        scf.for %8 = %0 to %1 step %2 {
          %x_1 = memref.load %x[%8] : memref<4xi32>
          memref.store %x_1, %6[%8] : memref<4xi32, #dev.on<"cpu">>
        }
        %9 = vector.load %6[%0] : memref<4xi32, #dev.on<"cpu">>, vector<4xi32>
        %10 = arith.index_cast %0 : index to i32
        %11 = vector.broadcast %10 : i32 to vector<4xi32>
        %12 = scf.for %13 = %0 to %1 step %2 iter_args(%14 = %11) -> (vector<4xi32>) {
          %15 = memref.load %6[%13] : memref<4xi32, #dev.on<"cpu">>
          %16 = vector.broadcast %15 : i32 to vector<4xi32>
          %17 = arith.index_cast %13 : index to i32
          %18 = vector.broadcast %17 : i32 to vector<4xi32>
          %19 = simd.cmpi slt, %16, %9 : vector<4xi32> -> vector<4xi1>
          %20 = simd.cmpi slt, %18, %5 : vector<4xi32> -> vector<4xi1>
          %21 = simd.cmpi eq, %16, %9 : vector<4xi32> -> vector<4xi1>
          %22 = arith.andi %20, %21 : vector<4xi1>
          %23 = arith.ori %19, %22 : vector<4xi1>
          %24 = simd.select %23, %3, %4 : vector<4xi1>, vector<4xi32>
          %25 = arith.addi %14, %24 : vector<4xi32>
          scf.yield %25 : vector<4xi32>
        }
        vector.store %12, %7[%0] : memref<4xi32, #dev.on<"cpu">>, vector<4xi32>
        scf.for %26 = %0 to %1 step %2 {
          %27 = memref.load %7[%26] : memref<4xi32, #dev.on<"cpu">>
          %28 = arith.index_cast %27 : i32 to index
          %29 = arith.index_cast %26 : index to i64
          memref.store %29, %i[%28] : memref<4xi64>
        }
        func.return
      }
    }
    ```
    """

    name = "lower-sort"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        schedule_by("sort", op, "sort")
