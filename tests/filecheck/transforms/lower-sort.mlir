// RUN: devproc-opt %s -p lower-sort | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 256, threads = 2, precision = "default", arch = "sm_90", interpret = false>} {

// Rows are spread over threads; a round merges into the room and back.
// CHECK-LABEL: @rows
// CHECK:       "scf.parallel"
// CHECK-NEXT:  ^bb0(%[[R:.*]]: index):
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           memref.store %{{.*}}, %v[%[[R]], %[[I]]]
// CHECK:         scf.for %{{.*}} iter_args(%[[W:.*]] = %{{.*}}) -> (index) {
// CHECK:           arith.addi %[[W]], %[[W]] : index
// CHECK:           scf.for
// CHECK:             scf.for %[[K:.*]] = {{.*}} iter_args
// CHECK:               %[[B:.*]] = arith.cmpf olt,
// CHECK:               arith.ori %[[B]],
// CHECK:               memref.store %{{.*}}, %v2[%[[R]], %[[K]]]
// CHECK:               memref.store %{{.*}}, %i2[%[[R]], %[[K]]]
// CHECK:             scf.for %[[K2:.*]] = {{.*}} iter_args
// CHECK:               memref.store %{{.*}}, %v[%[[R]], %[[K2]]]
// CHECK:               memref.store %{{.*}}, %i[%[[R]], %[[K2]]]
func.func private @rows(%x: memref<64x1000xf32>, %v: memref<64x1000xf32>, %i: memref<64x1000xi64>, %v2: memref<64x1000xf32>, %i2: memref<64x1000xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
  linalg.sort %x into %v, %i, %v2, %i2 {
  ^bb0(%a: f32, %b: f32):
    %before = arith.cmpf olt, %a, %b : f32
    linalg.yield %before : i1
  } : (memref<64x1000xf32>, memref<64x1000xf32>, memref<64x1000xi64>, memref<64x1000xf32>, memref<64x1000xi64>) -> ()
  func.return
}

// The first three of nine: a list into which few of the others get, each from its end.
// CHECK-LABEL: @first_three
// CHECK:       %[[LAST:.*]] = arith.constant 2 : index
// CHECK:       scf.for %[[I:.*]] =
// CHECK:         scf.for %{{.*}} iter_args
// CHECK:       scf.for %[[I:.*]] =
// CHECK:         %[[X:.*]] = memref.load %x[%[[I]]]
// CHECK:         %[[LEAST:.*]] = memref.load %v[%[[LAST]]]
// CHECK:         %[[BEFORE:.*]] = arith.cmpf olt, %[[X]], %[[LEAST]] : f32
// CHECK:         scf.if %[[BEFORE]] {
// CHECK:           scf.for %{{.*}} iter_args
// CHECK:             memref.store %{{.*}}, %v
// CHECK:             memref.store %{{.*}}, %i
func.func private @first_three(%x: memref<9xf32>, %v: memref<3xf32>, %i: memref<3xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
  linalg.sort %x into %v, %i {
  ^bb0(%a: f32, %b: f32):
    %before = arith.cmpf olt, %a, %b : f32
    linalg.yield %before : i1
  } : (memref<9xf32>, memref<3xf32>, memref<3xi64>) -> ()
  func.return
}

// Nothing to sort.
// CHECK-LABEL: @empty
// CHECK-NOT:   scf
// CHECK:       func.return
func.func private @empty(%x: memref<2x0xf32>, %v: memref<2x0xf32>, %i: memref<2x0xi64>, %v2: memref<2x0xf32>, %i2: memref<2x0xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
  linalg.sort %x into %v, %i, %v2, %i2 {
  ^bb0(%a: f32, %b: f32):
    %before = arith.cmpf olt, %a, %b : f32
    linalg.yield %before : i1
  } : (memref<2x0xf32>, memref<2x0xf32>, memref<2x0xi64>, memref<2x0xf32>, memref<2x0xi64>) -> ()
  func.return
}
}
