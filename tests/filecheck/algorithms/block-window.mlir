// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// Pixels x channels, the nine taps one after the other, each with a mask of pixels.
// SCHEDULE-LABEL: func.func private @pool(
// SCHEDULE:         sched.nest @n0 #sched.block_window<pixels = 4, channels = 32, warps = 1> why "40 pixels of 20 channels, 4 x 32 for each program" {
// CHECK-LABEL: triton.func @pool
// CHECK-SAME:    grid = array<i64: 10, 1, 1>, num_warps = 1 : i32
// CHECK-NOT:     scf.for
// CHECK-COUNT-9: arith.maximumf {{.*}} : tensor<4x32xf32>
// CHECK:         triton.store
func.func private @pool(%x: memref<2x9x7x20xf32, #dev.on<"cuda">>, %out: memref<2x5x4x20xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "window", ["nn.max_pool2d"]>} {
  %pad = memref.alloca() : memref<2x11x9x20xf32, #dev.on<"cuda">>
  %c_pad = arith.constant 0xff800000 : f32
  linalg.fill ins(%c_pad : f32) outs(%pad : memref<2x11x9x20xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1 + 1, d2 + 1, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : memref<2x9x7x20xf32, #dev.on<"cuda">>) outs(%pad : memref<2x11x9x20xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o0: f32):
    linalg.yield %a : f32
  }
  %window = memref.alloca() : memref<3x3xf32, #dev.on<"cuda">>
  %c_out = arith.constant 0xff800000 : f32
  linalg.fill ins(%c_out : f32) outs(%out : memref<2x5x4x20xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4 * 1, d2 * 2 + d5 * 1, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%pad, %window : memref<2x11x9x20xf32, #dev.on<"cuda">>, memref<3x3xf32, #dev.on<"cuda">>) outs(%out : memref<2x5x4x20xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %r = arith.maximumf %a, %o0 : f32
    linalg.yield %r : f32
  }
  func.return
}
