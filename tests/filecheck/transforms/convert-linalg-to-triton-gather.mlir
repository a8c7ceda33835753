// RUN: devproc-opt %s -p convert-linalg-to-triton | filecheck %s

// The taps' place is an index that was loaded; bytes widen without sign.
// CHECK-LABEL: triton.func @resample
// CHECK:         %[[FIRST:.*]] = triton.load {{.*}} -> tensor<16xi32>
// CHECK:         scf.for %k
// CHECK:           arith.addi %[[FIRST]], {{.*}} : tensor<16xi32>
// CHECK:           triton.load {{.*}} -> tensor<16xi8>
// CHECK:           triton.cast "extui" {{.*}} : tensor<16xi8> -> tensor<16xi32>
// CHECK:         arith.shrsi
// CHECK:         triton.cast "trunci" {{.*}} : tensor<16xi32> -> tensor<16xi8>
func.func private @resample(%x: memref<3x10xi8, #dev.on<"cuda">>, %first: memref<5xi32, #dev.on<"cuda">>, %taps: memref<5x3xi32, #dev.on<"cuda">>, %out: memref<3x5xi8, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "gather", ["nn.resample"]>} {
  %sum = memref.alloca() : memref<3x5xi32, #dev.on<"cuda">>
  %c_sum = arith.constant 2097152 : i32
  linalg.fill ins(%c_sum : i32) outs(%sum : memref<3x5xi32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%first, %taps : memref<5xi32, #dev.on<"cuda">>, memref<5x3xi32, #dev.on<"cuda">>) outs(%sum : memref<3x5xi32, #dev.on<"cuda">>) {
  ^bb0(%a: i32, %b: i32, %o0: i32):
    %start = arith.index_cast %a : i32 to index
    %t = linalg.index 2 : index
    %row = linalg.index 0 : index
    %at = arith.addi %start, %t : index
    %byte = memref.load %x[%row, %at] : memref<3x10xi8, #dev.on<"cuda">>
    %value = arith.extui %byte : i8 to i32
    %p = arith.muli %value, %b : i32
    %r = arith.addi %o0, %p : i32
    linalg.yield %r : i32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%sum : memref<3x5xi32, #dev.on<"cuda">>) outs(%out : memref<3x5xi8, #dev.on<"cuda">>) {
  ^bb0(%a: i32, %o0: i8):
    %bits = arith.constant 22 : i32
    %zero = arith.constant 0 : i32
    %top = arith.constant 255 : i32
    %s = arith.shrsi %a, %bits : i32
    %l = arith.maxsi %s, %zero : i32
    %c = arith.minsi %l, %top : i32
    %r = arith.trunci %c : i32 to i8
    linalg.yield %r : i8
  }
  func.return
}
