// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// The rank of an element is the number of those of its run before it.
// SCHEDULE-LABEL: func.func private @ranks(
// SCHEDULE:         sched.nest @n0 #sched.block_rank<width = 128, step = 32, warps = 4>
// SCHEDULE-SAME:      why "10 x 1 runs of 100 elements, compared in pairs"
// CHECK-LABEL: triton.func @ranks
// CHECK:         scf.for {{.*}} iter_args(%[[RANK:.*]] = {{.*}})
// CHECK:           triton.load
// CHECK:           triton.compare "slt"
// CHECK:           triton.compare "eq"
// CHECK:           triton.reduce "sum"
// CHECK:         triton.store
func.func private @ranks(%x: memref<10x100xi64, #dev.on<"cuda">>, %y: memref<10x20xi64, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "sort", ["nn.sort"]>} {
  linalg_ext.sort_runs %x : memref<10x100xi64, #dev.on<"cuda">> into %y : memref<10x20xi64, #dev.on<"cuda">> run 100 first 20
  func.return
}
