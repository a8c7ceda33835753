// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// Each block of a row begins with the sum that the blocks before it came to.
// SCHEDULE-LABEL: func.func private @cumulative_sum(
// SCHEDULE:         sched.nest @n0 #sched.block_scan<rows = 1, width = 1024, warps = 4>
// CHECK-LABEL: triton.func @cumulative_sum
// CHECK:         scf.for {{.*}} iter_args(%[[CARRIED:.*]] = {{.*}})
// CHECK:           triton.load
// CHECK:           triton.scan
// CHECK:           triton.store
func.func private @cumulative_sum(%x: memref<5x3000xf32, #dev.on<"cuda">>, %out: memref<5x3000xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "scan", ["nn.cumsum"]>} {
  linalg_ext.scan %x into %out axis 1 start [0.0 : f32] {
  ^bb0(%before: f32, %here: f32):
    %sum = arith.addf %before, %here : f32
    linalg.yield %sum : f32
  } : (memref<5x3000xf32, #dev.on<"cuda">>, memref<5x3000xf32, #dev.on<"cuda">>) -> ()
  func.return
}
