// RUN: devproc-opt %s -p 'choose-schedules{algorithms=scatter},expand-schedules' | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 256>>} {

// The index is read once for a row, and a row out of range is left out as a whole. Rows that
// replace others are copied by vectors, whose lanes divide them.
// CHECK-LABEL: @rows
// CHECK:       scf.for %[[K:.*]] =
// CHECK:         %[[I:.*]] = memref.load %i[%[[K]], %{{.*}}] : memref<2x1xi64>
// CHECK-NEXT:    %[[P:.*]] = arith.index_cast %[[I]]
// CHECK-NEXT:    %[[C:.*]] = arith.cmpi ult, %[[P]], %{{.*}} : index
// CHECK-NEXT:    scf.if %[[C]] {
// CHECK-NEXT:      scf.for %[[N:.*]] =
// CHECK-NEXT:        %[[J:.*]] = arith.muli %[[N]], %{{.*}} : index
// CHECK-NEXT:        %[[U:.*]] = vector.load %u[%[[K]], %[[J]]] : memref<2x12xf32>, vector<4xf32>
// CHECK-NEXT:        vector.store %[[U]], %t[%[[P]], %[[J]]] : memref<9x12xf32>, vector<4xf32>
func.func private @rows(%u: memref<2x12xf32>, %i: memref<2x1xi64>, %t: memref<9x12xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
  linalg_ext.scatter %u at %i into %t axis 0 {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  } : (memref<2x12xf32>, memref<2x1xi64>, memref<9x12xf32>) -> ()
  func.return
}

// Rows that are combined with others are updated element by element.
// CHECK-LABEL: @sums
// CHECK:         scf.if
// CHECK-NEXT:      scf.for %[[J:.*]] =
// CHECK:             memref.store %{{.*}}, %t[%{{.*}}, %[[J]]]
func.func private @sums(%u: memref<2x12xf32>, %i: memref<2x1xi64>, %t: memref<9x12xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
  linalg_ext.scatter %u at %i into %t axis 0 {
  ^bb0(%new: f32, %old: f32):
    %sum = arith.addf %old, %new : f32
    linalg.yield %sum : f32
  } : (memref<2x12xf32>, memref<2x1xi64>, memref<9x12xf32>) -> ()
  func.return
}

// Dimensions before the axis, where no two updates meet, are spread over threads.
// CHECK-LABEL: @threads
// CHECK:       "scf.parallel"
// CHECK-NEXT:  ^bb0(%[[R:.*]]: index):
// CHECK:         scf.for %[[K:.*]] =
// CHECK:           memref.load %i[%[[R]], %[[K]]] : memref<512x300xi32>
func.func private @threads(%u: memref<512x300xf32>, %i: memref<512x300xi32>, %t: memref<512x9xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
  linalg_ext.scatter %u at %i into %t axis 1 {
  ^bb0(%new: f32, %old: f32):
    %sum = arith.addf %old, %new : f32
    linalg.yield %sum : f32
  } : (memref<512x300xf32>, memref<512x300xi32>, memref<512x9xf32>) -> ()
  func.return
}
}
