// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// Input and output are dense along different dimensions: a tile of both.
// SCHEDULE-LABEL: func.func private @transpose(
// SCHEDULE:         sched.nest @n0 #sched.block_transpose<read = 64, written = 32, warps = 4>
// CHECK-LABEL: triton.func @transpose
// CHECK-SAME:    grid = array<i64: 4, 1, 1>
// CHECK:         %i = arith.addi {{.*}} : tensor<64x1xi32>
// CHECK:         %j = arith.addi {{.*}} : tensor<1x32xi32>
// CHECK:         triton.load {{.*}} -> tensor<64x32xf32>
// CHECK:         triton.store {{.*}} tensor<64x32xf32>
func.func private @transpose(%x: memref<64x100xf32, #dev.on<"cuda">>, %out: memref<100x64xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.transpose"]>} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x100xf32, #dev.on<"cuda">>) outs(%out : memref<100x64xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o0: f32):
    linalg.yield %a : f32
  }
  func.return
}
