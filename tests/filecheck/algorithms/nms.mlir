// RUN: devproc-opt %s -p 'choose-schedules{algorithms=nms},expand-schedules' --split-input-file | filecheck %s

// Blocks of four vectors are looked at together; candidates become keys, the keys a heap;
// the highest meets vectors of kept boxes of its class.
// CHECK-LABEL: @images
// CHECK:       "scf.parallel"
// CHECK-NEXT:  ^bb0(%[[R:.*]]: index):
// CHECK:         vector.store %{{.*}}, %kept[%[[R]]
// CHECK:         scf.for %[[V:.*]] = {{.*}} iter_args(%[[N:.*]] = %{{.*}}) -> (index) {
// CHECK-COUNT-4:   simd.cmpf ogt
// CHECK:           vector.reduction <or>
// CHECK:           %[[END:.*]] = arith.select %{{.*}}, %{{.*}}, %[[V]] : index
// CHECK:           scf.for %{{.*}} = %[[V]] to %[[END]]
// CHECK:             memref.store %{{.*}}, %keys[%[[R]], %[[AT:.*]]]
// CHECK:         scf.while
// CHECK:         scf.while (%[[LEFT:.*]] = %{{.*}}, %[[KEPT:.*]] = %{{.*}}) : (index, index) -> (index, index)
// CHECK:           scf.while
// CHECK:           %[[OWN:.*]] = memref.load %c[%[[R]]
// CHECK:           scf.for %{{.*}} iter_args
// CHECK:             arith.divf
// CHECK:             simd.cmpi eq
// CHECK:           vector.reduction <or>
// CHECK:           scf.if
// CHECK:             memref.store %[[OWN]], %k[%[[R]]
// CHECK:         memref.store %{{.*}}, %n[%[[R]]]
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @images(%b: memref<8x8400x1x4xf32>, %s: memref<8x8400xf32>, %c: memref<8x8400xi64>, %i: memref<8x300xi64>, %n: memref<8xi64>, %keys: memref<8x8400xi64>, %kept: memref<8x5x304xf32>, %k: memref<8x304xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "nms", ["nn.nms"]>} {
  linalg_ext.nms %b, %s classes %c into %i, %n, %keys, %kept, %k overlap 5.000000e-01 : f32 score 2.500000e-01 : f32 agnostic 0 : (memref<8x8400x1x4xf32>, memref<8x8400xf32>, memref<8x8400xi64>, memref<8x300xi64>, memref<8xi64>, memref<8x8400xi64>, memref<8x5x304xf32>, memref<8x304xi64>) -> ()
  func.return
}
}

// -----

// Without classes none are compared.
// CHECK-LABEL: @agnostic
// CHECK-NOT:   simd.cmpi
// CHECK:       func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
func.func private @agnostic(%b: memref<1x9x1x4xf32>, %s: memref<1x27xf32>, %i: memref<1x8xi64>, %n: memref<1xi64>, %keys: memref<1x27xi64>, %kept: memref<1x5x16xf32>, %k: memref<1x16xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "nms", ["nn.nms"]>} {
  linalg_ext.nms %b, %s into %i, %n, %keys, %kept, %k overlap 5.000000e-01 : f32 score 2.500000e-01 : f32 agnostic 1 : (memref<1x9x1x4xf32>, memref<1x27xf32>, memref<1x8xi64>, memref<1xi64>, memref<1x27xi64>, memref<1x5x16xf32>, memref<1x16xi64>) -> ()
  func.return
}
}
