// RUN: devproc-opt %s -p convert-linalg-to-triton | filecheck %s

// Implicit GEMM: the border is a mask on the image's own elements, and no memory.
// CHECK-LABEL: triton.func @conv
// CHECK-SAME:    (%x: !triton.ptr<f32>, %w: !triton.ptr<f32>, %bias: !triton.ptr<f32>, %out: !triton.ptr<f32>)
// CHECK:         triton.compare "sge"
// CHECK:         triton.load {{.*}} mask {{.*}} -> tensor<64x32xf32>
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

// A loop over the window; what the border masks off is minus infinity.
// CHECK-LABEL: triton.func @max_pool
// CHECK:         %[[LOW:.*]] = arith.constant 0xff800000 : f32
// CHECK:         %[[BORDER:.*]] = triton.splat %[[LOW]] : f32 -> tensor<64xf32>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             triton.load {{.*}} other %[[BORDER]]
// CHECK:             arith.maximumf
func.func private @max_pool(%x: memref<1x3x9x8xf32, #dev.on<"cuda">>, %out: memref<1x3x5x4xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "window", ["nn.max_pool2d"]>} {
  %pad = memref.alloca() : memref<1x3x11x10xf32, #dev.on<"cuda">>
  %window = memref.alloca() : memref<3x3xf32, #dev.on<"cuda">>
  %c_pad = arith.constant 0xff800000 : f32
  linalg.fill ins(%c_pad : f32) outs(%pad : memref<1x3x11x10xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 + 1, d3 + 1)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : memref<1x3x9x8xf32, #dev.on<"cuda">>) outs(%pad : memref<1x3x11x10xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o0: f32):
    linalg.yield %a : f32
  }
  %c_out = arith.constant 0xff800000 : f32
  linalg.fill ins(%c_out : f32) outs(%out : memref<1x3x5x4xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 * 2 + d4, d3 * 2 + d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%pad, %window : memref<1x3x11x10xf32, #dev.on<"cuda">>, memref<3x3xf32, #dev.on<"cuda">>) outs(%out : memref<1x3x5x4xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %r = arith.maximumf %a, %o0 : f32
    linalg.yield %r : f32
  }
  func.return
}
