// RUN: devproc-opt %s -p convert-linalg-to-triton | filecheck %s

// 12 tiles by 5 programs: a loop over tiles, marked to become one with the loop over K, and
// no mask where a descriptor reads.
// CHECK-LABEL: triton.func @linear
// CHECK-SAME:    grid = array<i64: 5, 1, 1>, num_warps = 4 : i32, num_stages = 3 : i32
// CHECK:         %first = triton.program_id 0 : i32
// CHECK:         %x_blocks = triton.make_descriptor %x shape [70, 80] strides [80, 1] : !triton.ptr<f32> -> !triton.descriptor<tensor<32x32xf32>>
// CHECK:         %w_blocks = triton.make_descriptor %w shape [100, 80] strides [80, 1]
// CHECK:         scf.for %tile = %first to
// CHECK:           %[[ACC:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = {{.*}}) -> (tensor<32x32xf32>) : i32 {
// CHECK:             %[[X:.*]] = triton.load_descriptor %x_blocks[%[[ROW:.*]], %k : i32, i32]
// CHECK:             %[[W:.*]] = triton.load_descriptor %w_blocks[%[[COLUMN:.*]], %k : i32, i32]
// CHECK:             %[[B:.*]] = triton.trans %[[W]] order [1, 0]
// CHECK:             triton.dot %[[X]], %[[B]], %[[OLD]] "tf32x3"
// CHECK:             scf.yield
// CHECK:           arith.addf %[[ACC]]
// CHECK:           triton.store
// CHECK:         } {triton.flatten}
func.func private @linear(%x: memref<70x80xf32, #dev.on<"cuda">>, %w: memref<100x80xf32, #dev.on<"cuda">>, %bias: memref<100xf32, #dev.on<"cuda">>, %out: memref<70x100xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "contraction", ["nn.linear"]>} {
  %c_out = arith.constant 0.0 : f32
  sched.nest @n0 #sched.persistent_tile<m = 32, n = 32, k = 32, warps = 4, stages = 3, group = 8, precision = tf32x3, programs = 5, loads = descriptors> why "by hand" {
    linalg.fill ins(%c_out : f32) outs(%out : memref<70x100xf32, #dev.on<"cuda">>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<70x80xf32, #dev.on<"cuda">>, memref<100x80xf32, #dev.on<"cuda">>) outs(%out : memref<70x100xf32, #dev.on<"cuda">>) {
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
  }
  func.return
}
