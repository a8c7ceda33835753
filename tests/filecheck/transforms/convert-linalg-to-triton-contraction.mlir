// RUN: devproc-opt %s -p convert-linalg-to-triton | filecheck %s

// Tiles of the result on the grid, a loop over K, the bias on the accumulator.
// CHECK-LABEL: triton.func @linear
// CHECK-SAME:    grid = array<i64: 4, 1, 1>, num_warps = 4 : i32, num_stages = 2 : i32
// CHECK:         %[[ACC:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = {{.*}}) -> (tensor<64x64xf32>) : i32 {
// CHECK:           triton.load {{.*}} -> tensor<64x32xf32>
// CHECK:           triton.load {{.*}} -> tensor<32x64xf32>
// CHECK:           triton.dot {{.*}}, {{.*}}, %[[OLD]] "ieee" : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
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

// A vector times a matrix is a sum over each row: tl.dot would multiply padding.
// CHECK-LABEL: triton.func @vector
// CHECK-NOT:     triton.dot
// CHECK:         triton.reduce "sum"
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
