// RUN: devproc-opt %s -p convert-to-llvm --split-input-file | filecheck %s

// For a read, into the first-level cache, of data.

// CHECK-LABEL: llvm.func internal @kernel
// CHECK-DAG:     %[[READ:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG:     %[[LEVEL:.*]] = llvm.mlir.constant(3 : i32)
// CHECK-DAG:     %[[DATA:.*]] = llvm.mlir.constant(1 : i32)
// CHECK:         llvm.call_intrinsic "llvm.prefetch.p0"(%{{.*}}, %[[READ]], %[[LEVEL]], %[[DATA]])
func.func private @kernel(%x: memref<4x16xf32>, %i: index) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.cast"]>} {
  %three = arith.constant 3 : index
  simd.prefetch %x[%three, %i] : memref<4x16xf32>
  func.return
}

// -----

// Into the second-level cache, on a CPU that is faster so.

// CHECK-LABEL: llvm.func internal @kernel
// CHECK-DAG:     %[[READ:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG:     %[[LEVEL:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG:     %[[DATA:.*]] = llvm.mlir.constant(1 : i32)
// CHECK:         llvm.call_intrinsic "llvm.prefetch.p0"(%{{.*}}, %[[READ]], %[[LEVEL]], %[[DATA]])
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, prefetch_level = 2>>} {
func.func private @kernel(%x: memref<4x16xf32>, %i: index) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.cast"]>} {
  %three = arith.constant 3 : index
  simd.prefetch %x[%three, %i] : memref<4x16xf32>
  func.return
}
}
