"""`linalg_ext.nms` to loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.transforms.cpu.schedule_by import schedule_by


@dataclass(frozen=True)
class LowerNmsPass(ModulePass):
    """What a suppression means in loops: a heap of candidates, each beside those kept.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 128,
        threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
      func.func private @nms(
          %b: memref<1x9x1x4xf32>, %s: memref<1x9xf32>, %i: memref<1x3xi64>,
          %n: memref<1xi64>, %keys: memref<1x9xi64>, %kept: memref<1x5x4xf32>,
          %classes: memref<1x4xi64>
      ) attributes {dev.kernel = #dev.kernel<"cpu", "nms", ["nn.nms"]>} {
        linalg_ext.nms %b, %s into %i, %n, %keys, %kept, %classes
          overlap 5.000000e-01 : f32 score 0.000000e+00 : f32 agnostic 0
          : (memref<1x9x1x4xf32>, memref<1x9xf32>, memref<1x3xi64>, memref<1xi64>,
             memref<1x9xi64>, memref<1x5x4xf32>, memref<1x4xi64>) -> ()
        func.return
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 128,
        threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
      func.func private @nms(
          %b: memref<1x9x1x4xf32>, %s: memref<1x9xf32>, %i: memref<1x3xi64>,
          %n: memref<1xi64>, %keys: memref<1x9xi64>, %kept: memref<1x5x4xf32>,
          %classes: memref<1x4xi64>
      ) attributes {dev.kernel = #dev.kernel<"cpu", "nms", ["nn.nms"]>} {
        %0 = arith.constant 0 : index
        %1 = arith.constant 1 : index
        %2 = arith.constant dense<0.000000e+00> : vector<4xf32>
        %3 = arith.constant dense<0> : vector<4xi64>
        %4 = arith.constant 4 : index
        %5 = arith.constant 2 : index
        %6 = arith.constant 3 : index
        %7 = arith.constant 9 : index
        %8 = arith.constant 0.000000e+00 : f32
        %9 = arith.constant 31 : i32
        %10 = arith.constant 2147483647 : i32
        %11 = arith.constant 32 : i64
        %12 = arith.constant 2147483647 : i64
        %13 = arith.constant dense<-1> : vector<4xi32>
        %14 = arith.constant dense<0> : vector<4xi32>
        %15 = arith.constant dense<5.000000e-01> : vector<4xf32>
        %16 = arith.constant 0 : i32
        %17 = arith.constant -1 : i64
        vector.store %2, %kept[%0, %0, %0] : memref<1x5x4xf32>, vector<4xf32>
        vector.store %2, %kept[%0, %1, %0] : memref<1x5x4xf32>, vector<4xf32>
        vector.store %2, %kept[%0, %5, %0] : memref<1x5x4xf32>, vector<4xf32>
        vector.store %2, %kept[%0, %6, %0] : memref<1x5x4xf32>, vector<4xf32>
        vector.store %2, %kept[%0, %4, %0] : memref<1x5x4xf32>, vector<4xf32>
        vector.store %3, %classes[%0, %0] : memref<1x4xi64>, vector<4xi64>
        %18 = scf.for %19 = %0 to %7 step %1 iter_args(%20 = %0) -> (index) {
          %s_1 = memref.load %s[%0, %19] : memref<1x9xf32>
          %21 = arith.addf %s_1, %8 : f32
          %22 = arith.bitcast %21 : f32 to i32
          %23 = arith.shrsi %22, %9 : i32
          %24 = arith.andi %23, %10 : i32
          %25 = arith.xori %22, %24 : i32
          %26 = arith.extsi %25 : i32 to i64
          %27 = arith.shli %26, %11 : i64
          %28 = arith.index_cast %19 : index to i64
          %29 = arith.subi %12, %28 : i64
          %30 = arith.ori %27, %29 : i64
          memref.store %30, %keys[%0, %20] : memref<1x9xi64>
          %31 = arith.cmpf ogt, %s_1, %8 : f32
          %32 = arith.extui %31 : i1 to i64
          %33 = arith.index_cast %32 : i64 to index
          %34 = arith.addi %20, %33 : index
          scf.yield %34 : index
        }
        %35 = arith.divui %18, %5 : index
        scf.for %36 = %0 to %35 step %1 {
          %37 = arith.subi %35, %1 : index
          %38 = arith.subi %37, %36 : index
          %keys_1 = memref.load %keys[%0, %38] : memref<1x9xi64>
          %39 = arith.maxui %18, %1 : index
          %40 = arith.subi %39, %1 : index
          %41, %42, %43 = scf.while (%44 = %38) : (index) -> (index, index, i64) {
            %45 = arith.addi %44, %44 : index
            %46 = arith.addi %45, %1 : index
            %47 = arith.addi %46, %1 : index
            %48 = arith.minui %46, %40 : index
            %49 = arith.minui %47, %40 : index
            %keys_2 = memref.load %keys[%0, %48] : memref<1x9xi64>
            %keys_3 = memref.load %keys[%0, %49] : memref<1x9xi64>
            %50 = arith.cmpi sgt, %keys_3, %keys_2 : i64
            %51 = arith.select %50, %49, %48 : index
            %52 = arith.maxsi %keys_2, %keys_3 : i64
            %53 = arith.cmpi ult, %46, %18 : index
            %54 = arith.cmpi sgt, %52, %keys_1 : i64
            %55 = arith.andi %53, %54 : i1
            scf.condition(%55) %44, %51, %52 : index, index, i64
          } do {
          ^bb0(%56: index, %57: index, %58: i64):
            memref.store %58, %keys[%0, %56] : memref<1x9xi64>
            scf.yield %57 : index
          }
          memref.store %keys_1, %keys[%0, %41] : memref<1x9xi64>
        }
        %59, %60 = scf.while (%61 = %18, %62 = %0) : (index, index) -> (index, index) {
          %63 = arith.cmpi ne, %61, %0 : index
          %64 = arith.cmpi ult, %62, %6 : index
          %65 = arith.andi %63, %64 : i1
          scf.condition(%65) %61, %62 : index, index
        } do {
        ^bb0(%66: index, %67: index):
          %keys_4 = memref.load %keys[%0, %0] : memref<1x9xi64>
          %68 = arith.subi %66, %1 : index
          %keys_5 = memref.load %keys[%0, %68] : memref<1x9xi64>
          %69 = arith.maxui %68, %1 : index
          %70 = arith.subi %69, %1 : index
          %71, %72, %73 = scf.while (%74 = %0) : (index) -> (index, index, i64) {
            %75 = arith.addi %74, %74 : index
            %76 = arith.addi %75, %1 : index
            %77 = arith.addi %76, %1 : index
            %78 = arith.minui %76, %70 : index
            %79 = arith.minui %77, %70 : index
            %keys_6 = memref.load %keys[%0, %78] : memref<1x9xi64>
            %keys_7 = memref.load %keys[%0, %79] : memref<1x9xi64>
            %80 = arith.cmpi sgt, %keys_7, %keys_6 : i64
            %81 = arith.select %80, %79, %78 : index
            %82 = arith.maxsi %keys_6, %keys_7 : i64
            %83 = arith.cmpi ult, %76, %68 : index
            %84 = arith.cmpi sgt, %82, %keys_5 : i64
            %85 = arith.andi %83, %84 : i1
            scf.condition(%85) %74, %81, %82 : index, index, i64
          } do {
          ^bb0(%86: index, %87: index, %88: i64):
            memref.store %88, %keys[%0, %86] : memref<1x9xi64>
            scf.yield %87 : index
          }
          memref.store %keys_5, %keys[%0, %71] : memref<1x9xi64>
          %89 = arith.andi %keys_4, %12 : i64
          %90 = arith.subi %12, %89 : i64
          %91 = arith.index_cast %90 : i64 to index
          %b_1 = memref.load %b[%0, %91, %0, %0] : memref<1x9x1x4xf32>
          %b_2 = memref.load %b[%0, %91, %0, %1] : memref<1x9x1x4xf32>
          %b_3 = memref.load %b[%0, %91, %0, %5] : memref<1x9x1x4xf32>
          %b_4 = memref.load %b[%0, %91, %0, %6] : memref<1x9x1x4xf32>
          %92 = arith.subf %b_3, %b_1 : f32
          %93 = arith.subf %b_4, %b_2 : f32
          %94 = arith.mulf %92, %93 : f32
          %95 = vector.broadcast %b_1 : f32 to vector<4xf32>
          %96 = vector.broadcast %b_2 : f32 to vector<4xf32>
          %97 = vector.broadcast %b_3 : f32 to vector<4xf32>
          %98 = vector.broadcast %b_4 : f32 to vector<4xf32>
          %99 = vector.broadcast %94 : f32 to vector<4xf32>
          %100 = scf.for %101 = %0 to %67 step %4 iter_args(%102 = %14) -> (vector<4xi32>) {
            %kept_1 = vector.load %kept[%0, %0, %101] : memref<1x5x4xf32>, vector<4xf32>
            %kept_2 = vector.load %kept[%0, %1, %101] : memref<1x5x4xf32>, vector<4xf32>
            %kept_3 = vector.load %kept[%0, %5, %101] : memref<1x5x4xf32>, vector<4xf32>
            %kept_4 = vector.load %kept[%0, %6, %101] : memref<1x5x4xf32>, vector<4xf32>
            %kept_5 = vector.load %kept[%0, %4, %101] : memref<1x5x4xf32>, vector<4xf32>
            %103 = simd.cmpf olt, %kept_1, %95 : vector<4xf32> -> vector<4xi1>
            %104 = simd.select %103, %95, %kept_1 : vector<4xi1>, vector<4xf32>
            %105 = simd.cmpf ogt, %kept_3, %97 : vector<4xf32> -> vector<4xi1>
            %106 = simd.select %105, %97, %kept_3 : vector<4xi1>, vector<4xf32>
            %107 = arith.subf %106, %104 : vector<4xf32>
            %108 = simd.cmpf olt, %2, %107 : vector<4xf32> -> vector<4xi1>
            %109 = simd.select %108, %107, %2 : vector<4xi1>, vector<4xf32>
            %110 = simd.cmpf olt, %kept_2, %96 : vector<4xf32> -> vector<4xi1>
            %111 = simd.select %110, %96, %kept_2 : vector<4xi1>, vector<4xf32>
            %112 = simd.cmpf ogt, %kept_4, %98 : vector<4xf32> -> vector<4xi1>
            %113 = simd.select %112, %98, %kept_4 : vector<4xi1>, vector<4xf32>
            %114 = arith.subf %113, %111 : vector<4xf32>
            %115 = simd.cmpf olt, %2, %114 : vector<4xf32> -> vector<4xi1>
            %116 = simd.select %115, %114, %2 : vector<4xi1>, vector<4xf32>
            %117 = arith.mulf %109, %116 : vector<4xf32>
            %118 = arith.addf %kept_5, %99 : vector<4xf32>
            %119 = arith.subf %118, %117 : vector<4xf32>
            %120 = arith.divf %117, %119 : vector<4xf32>
            %121 = simd.cmpf ogt, %120, %15 : vector<4xf32> -> vector<4xi1>
            %122 = simd.select %121, %13, %14 : vector<4xi1>, vector<4xi32>
            %123 = arith.ori %102, %122 : vector<4xi32>
            scf.yield %123 : vector<4xi32>
          }
          %124 = vector.reduction <or>, %100 : vector<4xi32> into i32
          %125 = arith.cmpi eq, %124, %16 : i32
          scf.if %125 {
            memref.store %b_1, %kept[%0, %0, %67] : memref<1x5x4xf32>
            memref.store %b_2, %kept[%0, %1, %67] : memref<1x5x4xf32>
            memref.store %b_3, %kept[%0, %5, %67] : memref<1x5x4xf32>
            memref.store %b_4, %kept[%0, %6, %67] : memref<1x5x4xf32>
            memref.store %94, %kept[%0, %4, %67] : memref<1x5x4xf32>
            %126 = arith.index_cast %91 : index to i64
            memref.store %126, %i[%0, %67] : memref<1x3xi64>
          }
          %127 = arith.extui %125 : i1 to i64
          %128 = arith.index_cast %127 : i64 to index
          %129 = arith.addi %67, %128 : index
          scf.yield %68, %129 : index, index
        }
        scf.for %130 = %60 to %6 step %1 {
          memref.store %17, %i[%0, %130] : memref<1x3xi64>
        }
        %131 = arith.index_cast %60 : index to i64
        memref.store %131, %n[%0] : memref<1xi64>
        func.return
      }
    }

    ```
    """

    name = "lower-nms"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        schedule_by("nms", op, "nms")
