// RUN: devproc-opt %s -p 'choose-schedules{algorithms=attention},expand-schedules' | filecheck %s

// The heads over threads. The keys of a head are transposed into panels; then, for tiles
// of queries: the scores with their scale and mask, the lanes behind the last key minus
// infinity; their exponentials and sums; the values, weighted, over the sums.
// CHECK-LABEL: @attention
// CHECK:       "scf.parallel"
// CHECK:         memref.alloca() {alignment = 64 : i64} : memref<2x32x32xf32
// CHECK:         scf.for
// CHECK:           vector.load %k
// CHECK:           vector.shuffle
// CHECK:           vector.store
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             scf.for {{.*}} iter_args
// CHECK:               memref.load %q
// CHECK:               vector.fma
// CHECK:             vector.load %m
// CHECK:             arith.addf
// CHECK:             simd.cmpf ogt
// CHECK:             simd.select
// CHECK:           vector.maskedload %m
// CHECK:           vector.reduction <maximumf>
// CHECK:           math.exp
// CHECK:           vector.reduction <add>
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             vector.load %v
// CHECK:             vector.fma
// CHECK:           arith.divf
// CHECK:           vector.store
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func private @attention(%q: memref<64x40x32xf32>, %k: memref<64x60x32xf32>, %m: memref<60xf32>, %v: memref<64x60x16xf32>, %0: memref<64x40x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "attention", ["nn.attention"]>} {
    %1 = arith.constant 0.000000 : f32
    %2 = memref.alloca() : memref<64x40x60xf32>
    linalg.fill ins(%1 : f32) outs(%2 : memref<64x40x60xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : memref<64x40x32xf32>, memref<64x60x32xf32>) outs(%2 : memref<64x40x60xf32>) {
    ^bb0(%3: f32, %4: f32, %5: f32):
      %6 = arith.mulf %3, %4 : f32
      %7 = arith.addf %5, %6 : f32
      linalg.yield %7 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %m : memref<64x40x60xf32>, memref<60xf32>) outs(%2 : memref<64x40x60xf32>) {
    ^bb0(%8: f32, %9: f32, %10: f32):
      %11 = arith.constant 5.000000e-01 : f32
      %12 = arith.mulf %8, %11 : f32
      %13 = arith.addf %12, %9 : f32
      linalg.yield %13 : f32
    }
    %14 = arith.constant -3.40282347e+38 : f32
    %15 = memref.alloca() : memref<64x40xf32>
    linalg.fill ins(%14 : f32) outs(%15 : memref<64x40xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : memref<64x40x60xf32>) outs(%15 : memref<64x40xf32>) {
    ^bb0(%16: f32, %17: f32):
      %18 = arith.maximumf %16, %17 : f32
      linalg.yield %18 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %15 : memref<64x40x60xf32>, memref<64x40xf32>) outs(%2 : memref<64x40x60xf32>) {
    ^bb0(%19: f32, %20: f32, %21: f32):
      %22 = arith.subf %19, %20 : f32
      %23 = math.exp %22 : f32
      linalg.yield %23 : f32
    }
    %24 = arith.constant 0.000000 : f32
    %25 = memref.alloca() : memref<64x40xf32>
    linalg.fill ins(%24 : f32) outs(%25 : memref<64x40xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : memref<64x40x60xf32>) outs(%25 : memref<64x40xf32>) {
    ^bb0(%26: f32, %27: f32):
      %28 = arith.addf %27, %26 : f32
      linalg.yield %28 : f32
    }
    %29 = arith.constant 0.000000 : f32
    linalg.fill ins(%29 : f32) outs(%0 : memref<64x40x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%2, %v : memref<64x40x60xf32>, memref<64x60x16xf32>) outs(%0 : memref<64x40x16xf32>) {
    ^bb0(%30: f32, %31: f32, %32: f32):
      %33 = arith.mulf %30, %31 : f32
      %34 = arith.addf %32, %33 : f32
      linalg.yield %34 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0, %25 : memref<64x40x16xf32>, memref<64x40xf32>) outs(%0 : memref<64x40x16xf32>) {
    ^bb0(%35: f32, %36: f32, %37: f32):
      %38 = arith.divf %35, %36 : f32
      %39 = arith.constant 0.000000 : f32
      %40 = arith.cmpf oeq, %36, %39 : f32
      %41 = arith.select %40, %35, %38 : f32
      linalg.yield %41 : f32
    }
    func.return
  }
}
