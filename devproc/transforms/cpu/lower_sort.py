"""`linalg.sort` to loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.dialects.linalg_sequential import SortOp
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.insertion import Insertion
from devproc.transforms.cpu.kernels import cpu_kernels, target_of
from devproc.transforms.cpu.merge_sort import MergeSort


@dataclass(frozen=True)
class LowerSortPass(ModulePass):
    """What a sort means in loops: a structured op whose iterations have an order.

        Before:
        ```mlir
        func.func private @sort(%x: memref<4xi32>, %v: memref<4xi32>, %i: memref<4xi64>,
                            %v2: memref<4xi32>, %i2: memref<4xi64>)
        attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
      linalg.sort %x into %v, %i, %v2, %i2 {
      ^bb0(%a: i32, %b: i32):
        %before = arith.cmpi slt, %a, %b : i32
        linalg.yield %before : i1
      } : (memref<4xi32>, memref<4xi32>, memref<4xi64>, memref<4xi32>, memref<4xi64>) -> ()
      func.return
    }
        ```

        After:
        ```mlir
        func.func private @sort(%x: memref<4xi32>, %v: memref<4xi32>, %i: memref<4xi64>,
                            %v2: memref<4xi32>, %i2: memref<4xi64>)
        attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
      %0 = arith.constant 0 : index
      %1 = arith.constant 4 : index
      %2 = arith.constant 1 : index
      %3 = arith.constant 2 : index
      %4 = arith.constant 3 : index
      %5 = arith.constant true
      scf.for %6 = %0 to %1 step %2 {
        %x_1 = memref.load %x[%6] : memref<4xi32>
        memref.store %x_1, %v[%6] : memref<4xi32>
        %7 = arith.index_cast %6 : index to i64
        memref.store %7, %i[%6] : memref<4xi64>
      }
      %8 = arith.ceildivui %1, %3 : index
      scf.for %9 = %0 to %8 step %2 {
        %10 = arith.muli %9, %3 : index
        %11 = arith.addi %10, %2 : index
        %12 = arith.minui %11, %1 : index
        %13 = arith.addi %10, %3 : index
        %14 = arith.minui %13, %1 : index
        %15, %16 = scf.for %17 = %10 to %14 step %2 iter_args(%18 = %10, %19 = %12) -> (index, index) {
          %20 = arith.cmpi ult, %18, %12 : index
          %21 = arith.cmpi ult, %19, %14 : index
          %22 = arith.minui %19, %4 : index
          %v_1 = memref.load %v[%18] : memref<4xi32>
          %v_2 = memref.load %v[%22] : memref<4xi32>
          %before = arith.cmpi slt, %v_2, %v_1 : i32
          %23 = arith.xori %20, %5 : i1
          %24 = arith.ori %before, %23 : i1
          %25 = arith.andi %21, %24 : i1
          %26 = arith.select %25, %22, %18 : index
          %27 = arith.select %25, %v_2, %v_1 : i32
          memref.store %27, %v2[%17] : memref<4xi32>
          %i_1 = memref.load %i[%26] : memref<4xi64>
          memref.store %i_1, %i2[%17] : memref<4xi64>
          %28 = arith.extui %25 : i1 to i64
          %29 = arith.index_cast %28 : i64 to index
          %30 = arith.addi %19, %29 : index
          %31 = arith.addi %17, %2 : index
          %32 = arith.subi %31, %30 : index
          %33 = arith.addi %32, %12 : index
          scf.yield %33, %30 : index, index
        }
      }
      %34 = arith.ceildivui %1, %1 : index
      scf.for %35 = %0 to %34 step %2 {
        %36 = arith.muli %35, %1 : index
        %37 = arith.addi %36, %3 : index
        %38 = arith.minui %37, %1 : index
        %39 = arith.addi %36, %1 : index
        %40 = arith.minui %39, %1 : index
        %41, %42 = scf.for %43 = %36 to %40 step %2 iter_args(%44 = %36, %45 = %38) -> (index, index) {
          %46 = arith.cmpi ult, %44, %38 : index
          %47 = arith.cmpi ult, %45, %40 : index
          %48 = arith.minui %45, %4 : index
          %v2_1 = memref.load %v2[%44] : memref<4xi32>
          %v2_2 = memref.load %v2[%48] : memref<4xi32>
          %before_1 = arith.cmpi slt, %v2_2, %v2_1 : i32
          %49 = arith.xori %46, %5 : i1
          %50 = arith.ori %before_1, %49 : i1
          %51 = arith.andi %47, %50 : i1
          %52 = arith.select %51, %48, %44 : index
          %53 = arith.select %51, %v2_2, %v2_1 : i32
          memref.store %53, %v[%43] : memref<4xi32>
          %i2_1 = memref.load %i2[%52] : memref<4xi64>
          memref.store %i2_1, %i[%43] : memref<4xi64>
          %54 = arith.extui %51 : i1 to i64
          %55 = arith.index_cast %54 : i64 to index
          %56 = arith.addi %45, %55 : index
          %57 = arith.addi %43, %2 : index
          %58 = arith.subi %57, %56 : index
          %59 = arith.addi %58, %38 : index
          scf.yield %59, %56 : index, index
        }
      }
      func.return
    }
        ```
    """

    name = "lower-sort"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        threads = target_of(op).threads.data
        for function in cpu_kernels(op, "sort"):
            emitter = Emitter(function.body.block)
            for sort in list(function.body.block.ops):
                if isinstance(sort, SortOp):
                    emitter.location = sort.location
                    kind = MergeSort if len(sort.outputs) == 4 else Insertion
                    kind(sort, emitter, threads).lower()
                    emitter.replace([sort])
