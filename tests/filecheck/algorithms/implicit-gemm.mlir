// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// One loop over taps and channels; a tap is scalar, and masks pixels (32 x 1), not elements.
// SCHEDULE-LABEL: func.func private @conv(
// SCHEDULE:         sched.nest @n0 #sched.implicit_gemm<m = 32, n = 32, k = 32, warps = 4, stages = 4, group = 1, precision = tf32x3> why "126 pixels x 35 channels of 9 x 20 terms are 4 x 2 tiles" {
// CHECK-LABEL: triton.func @conv
// CHECK-SAME:    (%x: !triton.ptr<f32>, %w: !triton.ptr<f32>, %bias: !triton.ptr<f32>, %out: !triton.ptr<f32>)
// CHECK-SAME:    grid = array<i64: 8, 1, 1>
// CHECK-DAG:     %[[END:.*]] = arith.constant 288 : i32
// CHECK:         %[[ACC:.*]] = scf.for %[[K:.*]] = %{{.*}} to %[[END]] step
// CHECK-NEXT:      %[[TAP:.*]] = arith.divsi %[[K]], %{{.*}} : i32
// CHECK-NEXT:      %[[LINE:.*]] = arith.divsi %[[TAP]], %{{.*}} : i32
// CHECK-NOT:       arith.divsi {{.*}} : tensor
// CHECK:           triton.compare "sge" {{.*}} : tensor<32x1xi32>
// CHECK-NOT:       triton.compare {{.*}} : tensor<32x32xi32>
// CHECK:           %[[X:.*]] = triton.load {{.*}} -> tensor<32x32xf32>
// CHECK:           %[[W:.*]] = triton.load {{.*}} -> tensor<32x32xf32>
// CHECK:           triton.dot %[[X]], %[[W]], %{{.*}} "tf32x3"
// CHECK:         arith.addf %[[ACC]]
// CHECK:         arith.maximumf
func.func private @conv(%x: memref<2x7x9x20xf32, #dev.on<"cuda">>, %w: memref<3x3x20x35xf32, #dev.on<"cuda">>, %bias: memref<35xf32, #dev.on<"cuda">>, %out: memref<2x7x9x35xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>} {
  %pad = memref.alloca() : memref<2x9x11x20xf32, #dev.on<"cuda">>
  %c_pad = arith.constant 0.0 : f32
  linalg.fill ins(%c_pad : f32) outs(%pad : memref<2x9x11x20xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1 + 1, d2 + 1, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : memref<2x7x9x20xf32, #dev.on<"cuda">>) outs(%pad : memref<2x9x11x20xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o0: f32):
    linalg.yield %a : f32
  }
  %c_out = arith.constant 0.0 : f32
  linalg.fill ins(%c_out : f32) outs(%out : memref<2x7x9x35xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 1 + d4 * 1, d2 * 1 + d5 * 1, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%pad, %w : memref<2x9x11x20xf32, #dev.on<"cuda">>, memref<3x3x20x35xf32, #dev.on<"cuda">>) outs(%out : memref<2x7x9x35xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o0, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%out, %bias : memref<2x7x9x35xf32, #dev.on<"cuda">>, memref<35xf32, #dev.on<"cuda">>) outs(%out : memref<2x7x9x35xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %zero = arith.constant 0.0 : f32
    %s = arith.addf %a, %b : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}

// Few channels: a step is a line of the window, whose mask is made before the loop.
// SCHEDULE-LABEL: func.func private @stem(
// SCHEDULE:         sched.nest @n0 #sched.implicit_gemm<m = 32, n = 32, k = 16, {{.*}} why "60 pixels x 18 channels of 5 x 15 terms are 2 x 1 tiles" {
// CHECK-LABEL: triton.func @stem
// CHECK:         triton.compare "sge" {{.*}} : tensor<32x16xi32>
// CHECK:         triton.compare "slt" {{.*}} : tensor<32x16xi32>
// CHECK:         scf.for
// CHECK-NOT:       triton.compare {{.*}} : tensor<32x16xi32>
// CHECK:           triton.dot
func.func private @stem(%x: memref<2x11x9x3xf32, #dev.on<"cuda">>, %w: memref<5x5x3x18xf32, #dev.on<"cuda">>, %bias: memref<18xf32, #dev.on<"cuda">>, %out: memref<2x6x5x18xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>} {
  %pad = memref.alloca() : memref<2x15x13x3xf32, #dev.on<"cuda">>
  %c_pad = arith.constant 0.0 : f32
  linalg.fill ins(%c_pad : f32) outs(%pad : memref<2x15x13x3xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1 + 2, d2 + 2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : memref<2x11x9x3xf32, #dev.on<"cuda">>) outs(%pad : memref<2x15x13x3xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o0: f32):
    linalg.yield %a : f32
  }
  %c_out = arith.constant 0.0 : f32
  linalg.fill ins(%c_out : f32) outs(%out : memref<2x6x5x18xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4 * 1, d2 * 2 + d5 * 1, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%pad, %w : memref<2x15x13x3xf32, #dev.on<"cuda">>, memref<5x5x3x18xf32, #dev.on<"cuda">>) outs(%out : memref<2x6x5x18xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o0, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%out, %bias : memref<2x6x5x18xf32, #dev.on<"cuda">>, memref<18xf32, #dev.on<"cuda">>) outs(%out : memref<2x6x5x18xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %zero = arith.constant 0.0 : f32
    %s = arith.addf %a, %b : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}
