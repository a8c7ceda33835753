// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// Each element searches its place in the other runs, in steps of 1024, 512, ... 1.
// SCHEDULE-LABEL: func.func private @merge(
// SCHEDULE:         sched.nest @n0 #sched.block_merge<size = 256, warps = 4>
// SCHEDULE-SAME:      why "2 rows of 5000 elements in runs of 1024 become 3, 256 elements for each program"
// CHECK-LABEL: triton.func @merge
// CHECK-SAME:    grid = array<i64: 40, 1, 1>
// CHECK:         scf.for {{.*}} iter_args(%[[STEP:.*]] = {{.*}}, %[[BEFORE:.*]] = {{.*}})
// CHECK:           triton.load
// CHECK:           triton.where
// CHECK:           arith.shrsi %[[STEP]]
// CHECK-COUNT-2: triton.store
func.func private @merge(%x: memref<2x5000xi32, #dev.on<"cuda">>, %of: memref<2x5000xi32, #dev.on<"cuda">>, %y: memref<2x5000xi32, #dev.on<"cuda">>, %z: memref<2x5000xi32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "sort", ["nn.sort"]>} {
  linalg_ext.merge_runs %x : memref<2x5000xi32, #dev.on<"cuda">> of %of : memref<2x5000xi32, #dev.on<"cuda">> into %y : memref<2x5000xi32, #dev.on<"cuda">>, %z : memref<2x5000xi32, #dev.on<"cuda">> run 1024 ways 2 first 2048
  func.return
}
