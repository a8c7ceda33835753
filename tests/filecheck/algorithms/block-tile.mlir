// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// Tiles of the result on the grid, a loop over K, the bias on the accumulator.
// SCHEDULE-LABEL: func.func private @linear(
// SCHEDULE:         sched.nest @n0 #sched.block_tile<m = 32, n = 32, k = 32, warps = 4, stages = 3, group = 8, precision = tf32x3> why "70 x 100 results of 75 terms: 12 programs, 0.09 for each of 132 processors" {
// SCHEDULE-NEXT:      linalg.fill
// SCHEDULE:           linalg.generic
// SCHEDULE:           linalg.generic
// SCHEDULE-NOT:     sched.nest
// CHECK-LABEL: triton.func @linear
// CHECK-SAME:    grid = array<i64: 12, 1, 1>, num_warps = 4 : i32, num_stages = 3 : i32
// CHECK:         %[[ACC:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = {{.*}}) -> (tensor<32x32xf32>) : i32 {
// CHECK:           triton.load {{.*}} -> tensor<32x32xf32>
// CHECK:           triton.load {{.*}} -> tensor<32x32xf32>
// CHECK:           triton.dot {{.*}}, {{.*}}, %[[OLD]] "tf32x3" : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
// CHECK:           scf.yield
// CHECK:         arith.addf %[[ACC]]
// CHECK:         triton.store
func.func private @linear(%x: memref<70x75xf32, #dev.on<"cuda">>, %w: memref<100x75xf32, #dev.on<"cuda">>, %bias: memref<100xf32, #dev.on<"cuda">>, %out: memref<70x100xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "contraction", ["nn.linear"]>} {
  %c_out = arith.constant 0.0 : f32
  linalg.fill ins(%c_out : f32) outs(%out : memref<70x100xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<70x75xf32, #dev.on<"cuda">>, memref<100x75xf32, #dev.on<"cuda">>) outs(%out : memref<70x100xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o0, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%out, %bias : memref<70x100xf32, #dev.on<"cuda">>, memref<100xf32, #dev.on<"cuda">>) outs(%out : memref<70x100xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  func.return
}

// Implicit GEMM: the border is a mask on the image's own elements, and no memory.
// SCHEDULE-LABEL: func.func private @conv(
// SCHEDULE:         sched.nest @n0 #sched.block_tile<m = 32, n = 16, k = 32, warps
// CHECK-LABEL: triton.func @conv
// CHECK-SAME:    (%x: !triton.ptr<f32>, %w: !triton.ptr<f32>, %bias: !triton.ptr<f32>, %out: !triton.ptr<f32>)
// CHECK:         triton.compare "sge"
// CHECK:         triton.load {{.*}} mask {{.*}} -> tensor<32x32xf32>
// CHECK:         triton.load {{.*}} mask {{.*}} -> tensor<32x16xf32>
// CHECK:         %acc = triton.dot
// CHECK:         arith.addf %acc
// CHECK:         arith.maximumf
func.func private @conv(%x: memref<2x3x9x7xf32, #dev.on<"cuda">>, %w: memref<5x3x3x3xf32, #dev.on<"cuda">>, %bias: memref<5xf32, #dev.on<"cuda">>, %out: memref<2x5x5x4xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>} {
  %pad = memref.alloca() : memref<2x3x11x9xf32, #dev.on<"cuda">>
  %c_pad = arith.constant 0.0 : f32
  linalg.fill ins(%c_pad : f32) outs(%pad : memref<2x3x11x9xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 + 1, d3 + 1)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : memref<2x3x9x7xf32, #dev.on<"cuda">>) outs(%pad : memref<2x3x11x9xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o0: f32):
    linalg.yield %a : f32
  }
  %c_out = arith.constant 0.0 : f32
  linalg.fill ins(%c_out : f32) outs(%out : memref<2x5x5x4xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5 * 1, d3 * 2 + d6 * 1)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%pad, %w : memref<2x3x11x9xf32, #dev.on<"cuda">>, memref<5x3x3x3xf32, #dev.on<"cuda">>) outs(%out : memref<2x5x5x4xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o0, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%out, %bias : memref<2x5x5x4xf32, #dev.on<"cuda">>, memref<5xf32, #dev.on<"cuda">>) outs(%out : memref<2x5x5x4xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %zero = arith.constant 0.0 : f32
    %s = arith.addf %a, %b : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}
