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
  linalg_ext.sort %x into %y : (memref<10x100xi32, #dev.on<"cuda">>, memref<10x20xi64, #dev.on<"cuda">>) -> ()
  func.return
}
