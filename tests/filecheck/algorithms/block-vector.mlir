// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// Products of the vector with rows of the matrix, added along the row; then the bias.
// SCHEDULE-LABEL: func.func private @vector(
// SCHEDULE:         sched.nest @n0 #sched.block_vector<rows = 1, step = 64, warps = 4> why "100 results of 64 terms: 100 programs read 1 x 64 elements at a time"
// CHECK-LABEL: triton.func @vector
// CHECK-SAME:    grid = array<i64: 100, 1, 1>
// CHECK:         arith.mulf {{.*}} : tensor<1x64xf32>
// CHECK:         triton.reduce "sum" {{.*}} axis 1 : tensor<1x64xf32> -> tensor<1xf32>
// CHECK:         triton.store
func.func private @vector(%x: memref<1x64xf32, #dev.on<"cuda">>, %w: memref<100x64xf32, #dev.on<"cuda">>, %bias: memref<100xf32, #dev.on<"cuda">>, %out: memref<1x100xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "contraction", ["nn.linear"]>} {
  %c_out = arith.constant 0.0 : f32
  linalg.fill ins(%c_out : f32) outs(%out : memref<1x100xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<1x64xf32, #dev.on<"cuda">>, memref<100x64xf32, #dev.on<"cuda">>) outs(%out : memref<1x100xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o0, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%out, %bias : memref<1x100xf32, #dev.on<"cuda">>, memref<100xf32, #dev.on<"cuda">>) outs(%out : memref<1x100xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  func.return
}
