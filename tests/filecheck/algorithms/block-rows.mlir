// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// All four steps in one program; the input is read once. A NaN makes the maximum NaN.
// SCHEDULE-LABEL: func.func private @softmax(
// SCHEDULE:         sched.nest @n0 #sched.block_rows<
// CHECK-LABEL: triton.func @softmax
// CHECK:         %[[X:.*]] = triton.load {{.*}} -> tensor<8x16xf32>
// CHECK-NOT:     triton.load
// CHECK:         %[[E:.*]] = triton.where %{{.*}}, %[[X]]
// CHECK:         triton.compare "ord" %[[E]], %[[E]]
// CHECK:         triton.reduce "max" {{.*}} axis 1 : tensor<8x16xf32> -> tensor<8xf32>
// CHECK:         triton.compare "uno" %[[E]], %[[E]]
// CHECK:         math.exp
// CHECK:         triton.where {{.*}} : tensor<8x16xi1>, tensor<8x16xf32>
// CHECK:         triton.reduce "sum" {{.*}} axis 1
// CHECK:         arith.divf {{.*}} fastmath<arcp> : tensor<8x16xf32>
func.func private @softmax(%x: memref<5000x10xf32, #dev.on<"cuda">>, %m: memref<5000xf32, #dev.on<"cuda">>, %e: memref<5000x10xf32, #dev.on<"cuda">>, %s: memref<5000xf32, #dev.on<"cuda">>, %out: memref<5000x10xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.softmax"]>} {
  %c_m = arith.constant 0xff800000 : f32
  linalg.fill ins(%c_m : f32) outs(%m : memref<5000xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<5000x10xf32, #dev.on<"cuda">>) outs(%m : memref<5000xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o0: f32):
    %r = arith.maximumf %a, %o0 : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %m : memref<5000x10xf32, #dev.on<"cuda">>, memref<5000xf32, #dev.on<"cuda">>) outs(%e : memref<5000x10xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  %c_s = arith.constant 0.0 : f32
  linalg.fill ins(%c_s : f32) outs(%s : memref<5000xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%e : memref<5000x10xf32, #dev.on<"cuda">>) outs(%s : memref<5000xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o0: f32):
    %r = arith.addf %o0, %a : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%e, %s : memref<5000x10xf32, #dev.on<"cuda">>, memref<5000xf32, #dev.on<"cuda">>) outs(%out : memref<5000x10xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  }
  func.return
}

// The first position of the largest element is the least index that has it.
// SCHEDULE-LABEL: func.func private @argmax(
// SCHEDULE:         sched.nest @n0 #sched.block_rows<
// CHECK-LABEL: triton.func @argmax
// CHECK:         triton.reduce "max" {{.*}} : tensor<8x16xf32> -> tensor<8xf32>
// CHECK:         triton.compare "oeq"
// CHECK:         triton.reduce "min" {{.*}} : tensor<8x16xi64> -> tensor<8xi64>
// CHECK:         triton.compare "uno"
// CHECK:         triton.reduce "min" {{.*}} : tensor<8x16xi64> -> tensor<8xi64>
func.func private @argmax(%x: memref<5000x10xf32, #dev.on<"cuda">>, %v: memref<5000xf32, #dev.on<"cuda">>, %i: memref<5000xi64, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.argmax"]>} {
  %c_v = arith.constant 0xff800000 : f32
  linalg.fill ins(%c_v : f32) outs(%v : memref<5000xf32, #dev.on<"cuda">>)
  %c_i = arith.constant 0 : i64
  linalg.fill ins(%c_i : i64) outs(%i : memref<5000xi64, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<5000x10xf32, #dev.on<"cuda">>) outs(%v, %i : memref<5000xf32, #dev.on<"cuda">>, memref<5000xi64, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o0: f32, %o1: i64):
    %g = arith.cmpf ugt, %a, %o0 : f32
    %n = arith.cmpf ord, %o0, %o0 : f32
    %better = arith.andi %g, %n : i1
    %at = linalg.index 1 : index
    %index = arith.index_cast %at : index to i64
    %r = arith.select %better, %a, %o0 : f32
    %s = arith.select %better, %index, %o1 : i64
    linalg.yield %r, %s : f32, i64
  }
  func.return
}

// Rows that fit no block: a pass for the maximum and the sum, which a larger element
// scales, and one for the quotients.
// SCHEDULE-LABEL: func.func private @long_softmax(
// SCHEDULE:         sched.nest @n0 #sched.block_rows<rows = 1, width = 8192, warps = 32> why "8 rows of 50257 elements, 1 for each program, in steps of 8192"
// CHECK-LABEL: triton.func @long_softmax
// CHECK:         %{{.*}}, %{{.*}} = scf.for %{{.*}} = {{.*}} iter_args(%[[MOST:.*]] = {{.*}}, %[[SUM:.*]] = {{.*}}) -> (tensor<8192xf32>, tensor<8192xf32>)
// CHECK:           triton.load
// CHECK:           triton.compare "ogt" %{{.*}}, %[[MOST]]
// CHECK:           math.exp
// CHECK-NOT:       math.exp
// CHECK:           arith.mulf %[[SUM]]
// CHECK:           arith.maximumf %[[MOST]]
// CHECK:           scf.yield
// CHECK:         triton.reduce "max"
// CHECK:         triton.reduce "sum"
// CHECK:         scf.for
// CHECK:           triton.load
// CHECK:           math.exp
// CHECK:           triton.store
// CHECK-NOT:     scf.for
func.func private @long_softmax(%x: memref<8x50257xf32, #dev.on<"cuda">>, %m: memref<8xf32, #dev.on<"cuda">>, %e: memref<8x50257xf32, #dev.on<"cuda">>, %s: memref<8xf32, #dev.on<"cuda">>, %out: memref<8x50257xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.softmax"]>, dev.scratch = array<i64: 1, 2, 3>} {
  %c_m = arith.constant 0xff800000 : f32
  linalg.fill ins(%c_m : f32) outs(%m : memref<8xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x50257xf32, #dev.on<"cuda">>) outs(%m : memref<8xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o0: f32):
    %r = arith.maximumf %a, %o0 : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %m : memref<8x50257xf32, #dev.on<"cuda">>, memref<8xf32, #dev.on<"cuda">>) outs(%e : memref<8x50257xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  %c_s = arith.constant 0.0 : f32
  linalg.fill ins(%c_s : f32) outs(%s : memref<8xf32, #dev.on<"cuda">>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%e : memref<8x50257xf32, #dev.on<"cuda">>) outs(%s : memref<8xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o0: f32):
    %r = arith.addf %o0, %a : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%e, %s : memref<8x50257xf32, #dev.on<"cuda">>, memref<8xf32, #dev.on<"cuda">>) outs(%out : memref<8x50257xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %b: f32, %o0: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  }
  func.return
}
