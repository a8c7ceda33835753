// RUN: devproc-opt %s -p choose-schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s -p choose-schedules,convert-linalg-to-triton | filecheck %s

// One index runs over both dimensions: nothing is divided. The last block is masked.
// SCHEDULE-LABEL: func.func private @elementwise(
// SCHEDULE:         sched.nest @n0 #sched.blocks<size = 128, warps = 4> why "2100 elements, 128 for each program"
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

// A loop over the window; what the border masks off is minus infinity.
// SCHEDULE-LABEL: func.func private @max_pool(
// SCHEDULE:         sched.nest @n0 #sched.blocks<
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

// The taps' place is an index that was loaded; bytes widen without sign.
// SCHEDULE-LABEL: func.func private @resample(
// SCHEDULE:         sched.nest @n0 #sched.blocks<
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
