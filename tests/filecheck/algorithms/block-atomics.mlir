// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// SCHEDULE-LABEL: func.func private @most(
// SCHEDULE:         sched.nest @n0 #sched.block_atomics<size = 512, warps = 4>
// SCHEDULE-SAME:      why "32000 updates, combined in any order"
// CHECK-LABEL: triton.func @most
// CHECK-SAME:    grid = array<i64: 63, 1, 1>
// CHECK-COUNT-2: triton.load
// CHECK:         triton.compare "ult"
// CHECK:         triton.atomic "max"
func.func private @most(%u: memref<500x64xi32, #dev.on<"cuda">>, %i: memref<500x1xi64, #dev.on<"cuda">>, %y: memref<37x64xi32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "scatter", ["nn.scatter"]>} {
  linalg_ext.scatter %u at %i into %y axis 0 {
  ^bb0(%new: i32, %old: i32):
    %most = arith.maxsi %old, %new : i32
    linalg.yield %most : i32
  } : (memref<500x64xi32, #dev.on<"cuda">>, memref<500x1xi64, #dev.on<"cuda">>, memref<37x64xi32, #dev.on<"cuda">>) -> ()
  func.return
}
