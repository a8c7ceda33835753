// RUN: devproc-opt %s -p convert-linalg-to-triton | filecheck %s

// One index runs over both dimensions: nothing is divided. The last block is masked.
// CHECK-LABEL: triton.func @elementwise
// CHECK-SAME:    grid = array<i64: 17, 1, 1>
// CHECK:         %pid = triton.program_id 0 : i32
// CHECK-NOT:     arith.divsi
// CHECK:         %in_i = triton.compare "slt" %i, {{.*}} : tensor<128xi32> -> tensor<128xi1>
// CHECK:         triton.load {{.*}} mask %in_i
// CHECK:         arith.addf {{.*}} : tensor<128xf32>
// CHECK:         triton.store {{.*}} mask %in_i
func.func private @elementwise(%x0: memref<3x700xf32, #dev.on<"cuda">>, %x1: memref<3x700xf32, #dev.on<"cuda">>, %out: memref<3x700xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.test"]>} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : memref<3x700xf32, #dev.on<"cuda">>, memref<3x700xf32, #dev.on<"cuda">>) outs(%out : memref<3x700xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  func.return
}

// Input and output are dense along different dimensions: a tile of both.
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
