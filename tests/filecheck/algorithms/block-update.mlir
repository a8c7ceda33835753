// RUN: devproc-opt %s -p choose-schedules --split-input-file | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton --split-input-file | filecheck %s

// One row of each head at a position that is read on the device: no other row is touched.
// SCHEDULE-LABEL: func.func private @row(
// SCHEDULE:         sched.nest @n0 #sched.block_update<columns = 256, warps = 4>
// SCHEDULE-SAME:      why "1 indices, with 192 elements each"
// CHECK-LABEL: triton.func @row
// CHECK-SAME:    grid = array<i64: 1, 1, 1>
// CHECK:         %i_1 = triton.load %i : !triton.ptr<i64> -> i64
// CHECK-NOT:     triton.load %y
// CHECK:         triton.compare "ult" %i_1
// CHECK:         triton.store
func.func private @row(%u: memref<3x1x64xf32, #dev.on<"cuda">>, %i: memref<1x1x1xi64, #dev.on<"cuda">>, %y: memref<3x1000x64xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "scatter", ["nn.scatter"]>} {
  linalg_ext.scatter %u at %i into %y axis 1 {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  } : (memref<3x1x64xf32, #dev.on<"cuda">>, memref<1x1x1xi64, #dev.on<"cuda">>, memref<3x1000x64xf32, #dev.on<"cuda">>) -> ()
  func.return
}

// -----

// Several rows: a program writes if no later index is the same; sums are made by the last.
// SCHEDULE-LABEL: func.func private @sums(
// SCHEDULE:         sched.nest @n0 #sched.block_update<columns = 64, warps = 4>
// SCHEDULE-SAME:      why "5 indices, with 64 elements each"
// CHECK-LABEL: triton.func @sums
// CHECK-SAME:    grid = array<i64: 5, 1, 1>
// CHECK:         triton.reduce "max"
// CHECK:         scf.for
// CHECK:           arith.addf
// CHECK:         triton.store
func.func private @sums(%u: memref<5x64xf32, #dev.on<"cuda">>, %i: memref<5x1xi64, #dev.on<"cuda">>, %y: memref<37x64xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "scatter", ["nn.scatter"]>} {
  linalg_ext.scatter %u at %i into %y axis 0 {
  ^bb0(%new: f32, %old: f32):
    %sum = arith.addf %old, %new : f32
    linalg.yield %sum : f32
  } : (memref<5x64xf32, #dev.on<"cuda">>, memref<5x1xi64, #dev.on<"cuda">>, memref<37x64xf32, #dev.on<"cuda">>) -> ()
  func.return
}
