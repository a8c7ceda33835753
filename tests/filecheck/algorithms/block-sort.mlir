// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// Keys and indices are packed, numbers past the end of a row come last, and the low bits of
// the first 20 are stored.
// SCHEDULE-LABEL: func.func private @first(
// SCHEDULE:         sched.nest @n0 #sched.block_sort<rows = 4, width = 128, warps = 4>
// SCHEDULE-SAME:      why "10 rows of 100 elements, the first 20 in order"
// CHECK-LABEL: triton.func @first
// CHECK:         %[[KEY:.*]] = triton.load
// CHECK:         triton.cast "extsi" %[[KEY]]
// CHECK:         arith.shli
// CHECK:         arith.ori
// CHECK:         triton.where
// CHECK:         triton.sort %{{.*}} axis 1 : tensor<4x128xi64>
// CHECK:         arith.andi
// CHECK:         triton.store
func.func private @first(%x: memref<10x100xi32, #dev.on<"cuda">>, %y: memref<10x20xi64, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "sort", ["nn.sort"]>} {
  linalg_ext.sort_runs %x : memref<10x100xi32, #dev.on<"cuda">> into %y : memref<10x20xi64, #dev.on<"cuda">> run 100 first 20
  func.return
}

// Each program sorts a run; the indices that are given for the elements are moved with them.
// SCHEDULE-LABEL: func.func private @runs(
// SCHEDULE:         sched.nest @n0 #sched.block_sort<rows = 1, width = 1024, warps = 4>
// SCHEDULE-SAME:      why "2 x 3 runs of 1024 elements, the first 8 in order"
// CHECK-LABEL: triton.func @runs
// CHECK-SAME:    grid = array<i64: 6, 1, 1>
// CHECK:         triton.sort %{{.*}} axis 1 : tensor<1x1024xi64>
// CHECK:         triton.load
// CHECK-COUNT-2: triton.store
func.func private @runs(%x: memref<2x2100xi32, #dev.on<"cuda">>, %of: memref<2x2100xi32, #dev.on<"cuda">>, %y: memref<2x24xi32, #dev.on<"cuda">>, %z: memref<2x24xi32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "sort", ["nn.sort"]>} {
  linalg_ext.sort_runs %x : memref<2x2100xi32, #dev.on<"cuda">> of %of : memref<2x2100xi32, #dev.on<"cuda">> into %y : memref<2x24xi32, #dev.on<"cuda">>, %z : memref<2x24xi32, #dev.on<"cuda">> run 1024 first 8
  func.return
}
