// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// Adjacent columns, in steps of rows; a lane adds a column of its own, and keeps what
// rounding loses. Lanes are added at the end.
// SCHEDULE-LABEL: func.func private @sums(
// SCHEDULE:         sched.nest @n0 #sched.block_columns<columns = 64, height = 32, warps = 4> why "10000 columns of 1000 elements, 64 for each program, in steps of 32"
// CHECK-LABEL: triton.func @sums
// CHECK:         %[[T:.*]], %{{.*}} = scf.for %{{.*}} = {{.*}} iter_args(%[[SUM:.*]] = {{.*}}, %[[LOST:.*]] = {{.*}}) -> (tensor<32x64xf32>, tensor<32x64xf32>)
// CHECK:           %[[X:.*]] = triton.load {{.*}} -> tensor<32x64xf32>
// CHECK:           %[[E:.*]] = triton.where %{{.*}}, %[[X]]
// CHECK-NEXT:      %[[REST:.*]] = arith.subf %[[E]], %[[LOST]] : tensor<32x64xf32>
// CHECK-NEXT:      %[[NEW:.*]] = arith.addf %[[SUM]], %[[REST]] : tensor<32x64xf32>
// CHECK-NEXT:      %[[ADDED:.*]] = arith.subf %[[NEW]], %[[SUM]] : tensor<32x64xf32>
// CHECK-NEXT:      arith.subf %[[ADDED]], %[[REST]] : tensor<32x64xf32>
// CHECK:         triton.reduce "sum" %[[T]] axis 0 : tensor<32x64xf32> -> tensor<64xf32>
// CHECK:         triton.store {{.*}} tensor<1x64xf32>
func.func private @sums(%x: memref<1000x10000xf32, #dev.on<"cuda">>, %y: memref<10000xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_sum"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<10000xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<1000x10000xf32, #dev.on<"cuda">>) outs(%y : memref<10000xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  }
  func.return
}

// Short columns stay in registers: one load.
// SCHEDULE-LABEL: func.func private @most(
// SCHEDULE:         sched.nest @n0 #sched.block_columns<columns = 32, height = 64, warps = 4> why "333 columns of 64 elements, 32 for each program"
// CHECK-LABEL: triton.func @most
// CHECK-NOT:     scf.for
// CHECK:         triton.load {{.*}} -> tensor<64x32xf32>
// CHECK-NOT:     triton.load
// CHECK:         triton.reduce "max" {{.*}} axis 0 : tensor<64x32xf32> -> tensor<32xf32>
func.func private @most(%x: memref<64x333xf32, #dev.on<"cuda">>, %y: memref<333xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_max"]>} {
  %low = arith.constant 0xff800000 : f32
  linalg.fill ins(%low : f32) outs(%y : memref<333xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x333xf32, #dev.on<"cuda">>) outs(%y : memref<333xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  }
  func.return
}
