// RUN: devproc-opt %s -p 'choose-schedules{algorithms=cached_attention},expand-schedules' --split-input-file | filecheck %s

// Four heads of keys over threads; the three queries of each are rows of one tile, so that
// a vector of scores holds four keys of each. The bound is read, and the window's; then,
// for blocks of 16 keys: the dot products, of keys stored in bf16, added across lanes; the
// scores of what a row does not see minus infinity; exponentials and sums; the values of
// four keys at a time, then of those left.
// CHECK-LABEL: @cached_attention
// CHECK:       "scf.parallel"
// CHECK:         %[[LAST:.*]] = memref.load %pos
// CHECK:         arith.index_cast %[[LAST]]
// CHECK:         arith.minsi
// CHECK:         arith.maxsi
// CHECK:         arith.subi
// CHECK:         %[[START:.*]] = arith.minui
// CHECK:         memref.alloca() {alignment = 64 : i64} : memref<4x16xf32
// CHECK:         scf.for %{{.*}} = %[[START]] to %{{.*}} step %c16
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             simd.prefetch %v
// CHECK:             vector.load %k{{.*}}, vector<16xbf16>
// CHECK:             arith.extf
// CHECK:             vector.fma
// CHECK:             vector.shuffle
// CHECK:             simd.cmpi sle
// CHECK:             simd.cmpi sgt
// CHECK:             simd.select
// CHECK:           math.exp
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             math.exp
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             simd.prefetch %k
// CHECK:             vector.load %v
// CHECK:             vector.fma
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             vector.load %v
// CHECK:         arith.divf
// CHECK:         vector.store
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func private @cached_attention(%0: memref<1x4x3x32xf32>, %k: memref<1x4x6000x32xbf16>, %pos: memref<1xi64>, %v: memref<1x4x6000x16xbf16>, %1: memref<1x4x3x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "attention", ["nn.cached_attention"]>} {
    %2 = arith.constant 0.000000e+00 : f32
    %3 = memref.alloca() : memref<1x4x3x6000xf32>
    linalg.fill ins(%2 : f32) outs(%3 : memref<1x4x3x6000xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%0, %k : memref<1x4x3x32xf32>, memref<1x4x6000x32xbf16>) outs(%3 : memref<1x4x3x6000xf32>) {
    ^bb0(%4: f32, %5: bf16, %6: f32):
      %7 = arith.extf %5 : bf16 to f32
      %8 = arith.mulf %4, %7 : f32
      %9 = arith.addf %6, %8 : f32
      linalg.yield %9 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %pos : memref<1x4x3x6000xf32>, memref<1xi64>) outs(%3 : memref<1x4x3x6000xf32>) {
    ^bb0(%10: f32, %11: i64, %12: f32):
      %13 = arith.constant 0.176776692 : f32
      %14 = arith.mulf %10, %13 : f32
      %15 = linalg.index 3 : index
      %16 = arith.index_cast %11 : i64 to index
      %17 = arith.cmpi sle, %15, %16 : index
      %18 = arith.constant 9 : index
      %19 = arith.subi %16, %18 : index
      %20 = arith.cmpi slt, %19, %15 : index
      %21 = arith.andi %17, %20 : i1
      %22 = arith.constant 0xff800000 : f32
      %23 = arith.select %21, %14, %22 : f32
      linalg.yield %23 : f32
    }
    %24 = arith.constant -3.40282347e+38 : f32
    %25 = memref.alloca() : memref<1x4x3xf32>
    linalg.fill ins(%24 : f32) outs(%25 : memref<1x4x3xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%3 : memref<1x4x3x6000xf32>) outs(%25 : memref<1x4x3xf32>) {
    ^bb0(%26: f32, %27: f32):
      %28 = arith.maximumf %26, %27 fastmath<nsz> : f32
      linalg.yield %28 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %25 : memref<1x4x3x6000xf32>, memref<1x4x3xf32>) outs(%3 : memref<1x4x3x6000xf32>) {
    ^bb0(%29: f32, %30: f32, %31: f32):
      %32 = arith.subf %29, %30 : f32
      %33 = math.exp %32 : f32
      linalg.yield %33 : f32
    }
    %34 = arith.constant 0.000000e+00 : f32
    %35 = memref.alloca() : memref<1x4x3xf32>
    linalg.fill ins(%34 : f32) outs(%35 : memref<1x4x3xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%3 : memref<1x4x3x6000xf32>) outs(%35 : memref<1x4x3xf32>) {
    ^bb0(%36: f32, %37: f32):
      %38 = arith.addf %37, %36 : f32
      linalg.yield %38 : f32
    }
    %39 = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%39 : f32) outs(%1 : memref<1x4x3x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%3, %v : memref<1x4x3x6000xf32>, memref<1x4x6000x16xbf16>) outs(%1 : memref<1x4x3x16xf32>) {
    ^bb0(%40: f32, %41: bf16, %42: f32):
      %43 = arith.extf %41 : bf16 to f32
      %44 = arith.mulf %40, %43 : f32
      %45 = arith.addf %42, %44 : f32
      linalg.yield %45 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %35 : memref<1x4x3x16xf32>, memref<1x4x3xf32>) outs(%1 : memref<1x4x3x16xf32>) {
    ^bb0(%46: f32, %47: f32, %48: f32):
      %49 = arith.divf %46, %47 : f32
      %50 = arith.constant 0.000000e+00 : f32
      %51 = arith.cmpf oeq, %47, %50 : f32
      %52 = arith.select %51, %46, %49 : f32
      linalg.yield %52 : f32
    }
    func.return
  }
}

// -----

// Keys and values in int8: the scores are multiplied with the scales of the keys, four for
// each row, and the weights with those of the values.
// CHECK-LABEL: @int8
// CHECK:         vector.load %k{{.*}}, vector<16xi8>
// CHECK:         simd.sitofp {{.*}} : vector<16xi8> to vector<16xf32>
// CHECK:         vector.maskedload {{.*}} : memref<1x4x6000xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:         %[[SCALES:.*]] = vector.shuffle {{.*}} : vector<4xf32>, vector<4xf32>
// CHECK:         arith.mulf {{.*}}, %[[SCALES]]
// CHECK:         math.exp
// CHECK:         %[[POWER:.*]] = math.exp
// CHECK:         vector.maskedload
// CHECK:         %[[WEIGHTS:.*]] = arith.mulf %[[POWER]]
// CHECK:         vector.store %[[WEIGHTS]]
// CHECK:         arith.addf {{.*}}, %[[POWER]]
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func private @int8(%0: memref<1x4x3x32xf32>, %k: memref<1x4x6000x32xi8>, %ks: memref<1x4x6000x1xf32>, %pos: memref<1xi64>, %v: memref<1x4x6000x16xi8>, %vs: memref<1x4x6000x1xf32>, %1: memref<1x4x3x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "attention", ["nn.cached_attention"]>} {
    %2 = arith.constant 0.000000e+00 : f32
    %3 = memref.alloca() : memref<1x4x3x6000xf32>
    linalg.fill ins(%2 : f32) outs(%3 : memref<1x4x3x6000xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, 0)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%0, %k, %ks : memref<1x4x3x32xf32>, memref<1x4x6000x32xi8>, memref<1x4x6000x1xf32>) outs(%3 : memref<1x4x3x6000xf32>) {
    ^bb0(%4: f32, %5: i8, %s5: f32, %6: f32):
      %w5 = arith.sitofp %5 : i8 to f32
      %7 = arith.mulf %w5, %s5 : f32
      %8 = arith.mulf %4, %7 : f32
      %9 = arith.addf %6, %8 : f32
      linalg.yield %9 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %pos : memref<1x4x3x6000xf32>, memref<1xi64>) outs(%3 : memref<1x4x3x6000xf32>) {
    ^bb0(%10: f32, %11: i64, %12: f32):
      %13 = arith.constant 0.176776692 : f32
      %14 = arith.mulf %10, %13 : f32
      %15 = linalg.index 3 : index
      %16 = arith.index_cast %11 : i64 to index
      %17 = arith.cmpi sle, %15, %16 : index
      %18 = arith.constant 9 : index
      %19 = arith.subi %16, %18 : index
      %20 = arith.cmpi slt, %19, %15 : index
      %21 = arith.andi %17, %20 : i1
      %22 = arith.constant 0xff800000 : f32
      %23 = arith.select %21, %14, %22 : f32
      linalg.yield %23 : f32
    }
    %24 = arith.constant -3.40282347e+38 : f32
    %25 = memref.alloca() : memref<1x4x3xf32>
    linalg.fill ins(%24 : f32) outs(%25 : memref<1x4x3xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%3 : memref<1x4x3x6000xf32>) outs(%25 : memref<1x4x3xf32>) {
    ^bb0(%26: f32, %27: f32):
      %28 = arith.maximumf %26, %27 fastmath<nsz> : f32
      linalg.yield %28 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %25 : memref<1x4x3x6000xf32>, memref<1x4x3xf32>) outs(%3 : memref<1x4x3x6000xf32>) {
    ^bb0(%29: f32, %30: f32, %31: f32):
      %32 = arith.subf %29, %30 : f32
      %33 = math.exp %32 : f32
      linalg.yield %33 : f32
    }
    %34 = arith.constant 0.000000e+00 : f32
    %35 = memref.alloca() : memref<1x4x3xf32>
    linalg.fill ins(%34 : f32) outs(%35 : memref<1x4x3xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%3 : memref<1x4x3x6000xf32>) outs(%35 : memref<1x4x3xf32>) {
    ^bb0(%36: f32, %37: f32):
      %38 = arith.addf %37, %36 : f32
      linalg.yield %38 : f32
    }
    %39 = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%39 : f32) outs(%1 : memref<1x4x3x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, 0)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%3, %v, %vs : memref<1x4x3x6000xf32>, memref<1x4x6000x16xi8>, memref<1x4x6000x1xf32>) outs(%1 : memref<1x4x3x16xf32>) {
    ^bb0(%40: f32, %41: i8, %s41: f32, %42: f32):
      %w41 = arith.sitofp %41 : i8 to f32
      %43 = arith.mulf %w41, %s41 : f32
      %44 = arith.mulf %40, %43 : f32
      %45 = arith.addf %42, %44 : f32
      linalg.yield %45 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %35 : memref<1x4x3x16xf32>, memref<1x4x3xf32>) outs(%1 : memref<1x4x3x16xf32>) {
    ^bb0(%46: f32, %47: f32, %48: f32):
      %49 = arith.divf %46, %47 : f32
      %50 = arith.constant 0.000000e+00 : f32
      %51 = arith.cmpf oeq, %47, %50 : f32
      %52 = arith.select %51, %46, %49 : f32
      linalg.yield %52 : f32
    }
    func.return
  }
}

// -----

// The same with dot products of bytes: queries become three bytes a number; the words of 16
// keys are transposed, so that a lane sums the products of a key, and serve all three queries.
// Their scores are scaled, or NaN, then four keys of all queries are one vector as before.
// CHECK-LABEL: @int8_bytes
// CHECK:         %[[DIGITS:.*]] = memref.alloca() {{.*}} : memref<3x16x3xi32, #dev.on<"cpu">>
// CHECK:         scf.for %{{.*}} = %c0 to %c3 step %c1
// CHECK:           math.roundeven
// CHECK:         scf.for %{{.*}} step %c64
// CHECK-COUNT-16:    vector.load %k{{.*}} : memref<1x4x6000x64xi8>, vector<64xi8>
// CHECK-COUNT-64:    vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// CHECK-COUNT-16:    arith.xori {{.*}} : vector<16xi32>
// CHECK:             memref.load %[[DIGITS]]
// CHECK-COUNT-144:   simd.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK-NOT:         vpdpbusd
// CHECK:             %[[NAN:.*]] = arith.subf %[[SCALE:.*]], %[[SCALE]] : f32
// CHECK-NEXT:        arith.addf %[[SCALE]], %[[NAN]]
// CHECK:             vector.maskedload {{.*}} : memref<1x4x6000xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:         simd.sitofp {{.*}} : vector<16xi8> to vector<16xf32>
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512, extensions = ["avx512vnni"]>>} {
  func.func private @int8_bytes(%0: memref<1x4x3x64xf32>, %k: memref<1x4x6000x64xi8>, %ks: memref<1x4x6000x1xf32>, %pos: memref<1xi64>, %v: memref<1x4x6000x16xi8>, %vs: memref<1x4x6000x1xf32>, %1: memref<1x4x3x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "attention", ["nn.cached_attention"]>} {
    %2 = arith.constant 0.000000e+00 : f32
    %3 = memref.alloca() : memref<1x4x3x6000xf32>
    linalg.fill ins(%2 : f32) outs(%3 : memref<1x4x3x6000xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, 0)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%0, %k, %ks : memref<1x4x3x64xf32>, memref<1x4x6000x64xi8>, memref<1x4x6000x1xf32>) outs(%3 : memref<1x4x3x6000xf32>) {
    ^bb0(%4: f32, %5: i8, %s5: f32, %6: f32):
      %w5 = arith.sitofp %5 : i8 to f32
      %7 = arith.mulf %w5, %s5 : f32
      %8 = arith.mulf %4, %7 : f32
      %9 = arith.addf %6, %8 : f32
      linalg.yield %9 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %pos : memref<1x4x3x6000xf32>, memref<1xi64>) outs(%3 : memref<1x4x3x6000xf32>) {
    ^bb0(%10: f32, %11: i64, %12: f32):
      %13 = arith.constant 0.176776692 : f32
      %14 = arith.mulf %10, %13 : f32
      %15 = linalg.index 3 : index
      %16 = arith.index_cast %11 : i64 to index
      %17 = arith.cmpi sle, %15, %16 : index
      %18 = arith.constant 9 : index
      %19 = arith.subi %16, %18 : index
      %20 = arith.cmpi slt, %19, %15 : index
      %21 = arith.andi %17, %20 : i1
      %22 = arith.constant 0xff800000 : f32
      %23 = arith.select %21, %14, %22 : f32
      linalg.yield %23 : f32
    }
    %24 = arith.constant -3.40282347e+38 : f32
    %25 = memref.alloca() : memref<1x4x3xf32>
    linalg.fill ins(%24 : f32) outs(%25 : memref<1x4x3xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%3 : memref<1x4x3x6000xf32>) outs(%25 : memref<1x4x3xf32>) {
    ^bb0(%26: f32, %27: f32):
      %28 = arith.maximumf %26, %27 fastmath<nsz> : f32
      linalg.yield %28 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %25 : memref<1x4x3x6000xf32>, memref<1x4x3xf32>) outs(%3 : memref<1x4x3x6000xf32>) {
    ^bb0(%29: f32, %30: f32, %31: f32):
      %32 = arith.subf %29, %30 : f32
      %33 = math.exp %32 : f32
      linalg.yield %33 : f32
    }
    %34 = arith.constant 0.000000e+00 : f32
    %35 = memref.alloca() : memref<1x4x3xf32>
    linalg.fill ins(%34 : f32) outs(%35 : memref<1x4x3xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%3 : memref<1x4x3x6000xf32>) outs(%35 : memref<1x4x3xf32>) {
    ^bb0(%36: f32, %37: f32):
      %38 = arith.addf %37, %36 : f32
      linalg.yield %38 : f32
    }
    %39 = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%39 : f32) outs(%1 : memref<1x4x3x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, 0)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%3, %v, %vs : memref<1x4x3x6000xf32>, memref<1x4x6000x16xi8>, memref<1x4x6000x1xf32>) outs(%1 : memref<1x4x3x16xf32>) {
    ^bb0(%40: f32, %41: i8, %s41: f32, %42: f32):
      %w41 = arith.sitofp %41 : i8 to f32
      %43 = arith.mulf %w41, %s41 : f32
      %44 = arith.mulf %40, %43 : f32
      %45 = arith.addf %42, %44 : f32
      linalg.yield %45 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %35 : memref<1x4x3x16xf32>, memref<1x4x3xf32>) outs(%1 : memref<1x4x3x16xf32>) {
    ^bb0(%46: f32, %47: f32, %48: f32):
      %49 = arith.divf %46, %47 : f32
      %50 = arith.constant 0.000000e+00 : f32
      %51 = arith.cmpf oeq, %47, %50 : f32
      %52 = arith.select %51, %46, %49 : f32
      linalg.yield %52 : f32
    }
    func.return
  }
}
