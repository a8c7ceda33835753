// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// Two searches find the updates of a place; the loop over them is as long as the longest.
// SCHEDULE-LABEL: func.func private @add(
// SCHEDULE:         sched.nest @n0 #sched.block_scatter<places = 8, columns = 64, warps = 4>
// SCHEDULE-SAME:      why "500 updates of 37 places, with 64 elements each"
// CHECK-LABEL: triton.func @add
// CHECK-SAME:    grid = array<i64: 5, 1, 1>
// CHECK:         scf.for {{.*}} iter_args(%[[STEP:.*]] = {{.*}}, %[[FIRST:.*]] = {{.*}}, %[[END:.*]] = {{.*}})
// CHECK:         triton.reduce "max"
// CHECK:         scf.for {{.*}} iter_args(%[[TOTAL:.*]] = {{.*}}) -> (tensor<8x64xf32>)
// CHECK:           triton.load
// CHECK:           arith.addf
// CHECK:           triton.where
// CHECK:         triton.store
func.func private @add(%u: memref<500x64xf32, #dev.on<"cuda">>, %x: memref<37x64xf32, #dev.on<"cuda">>, %i: memref<1x500xi32, #dev.on<"cuda">>, %p: memref<1x500xi64, #dev.on<"cuda">>, %y: memref<37x64xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "scatter", ["nn.scatter"]>} {
  linalg_ext.scatter_sorted %u, %x at %i, %p into %y axis 0 {
  ^bb0(%new: f32, %old: f32):
    %sum = arith.addf %old, %new : f32
    linalg.yield %sum : f32
  } : (memref<500x64xf32, #dev.on<"cuda">>, memref<37x64xf32, #dev.on<"cuda">>, memref<1x500xi32, #dev.on<"cuda">>, memref<1x500xi64, #dev.on<"cuda">>, memref<37x64xf32, #dev.on<"cuda">>) -> ()
  func.return
}
