// RUN: devproc-opt %s -p 'choose-schedules{algorithms=attention},expand-schedules' --split-input-file | filecheck %s

// Two heads of queries read the same head of keys and values, on AVX2 with its vectors of
// eight; a mask of bools selects minus infinity.
// CHECK-LABEL: @grouped_causal(
// CHECK-SAME:    %[[Q:[0-9]+]]: memref<1x2x2x16x32xf32>, %[[K:[0-9]+]]: memref<1x2x1x16x32xf32>, %[[M:[0-9]+]]: memref<16x16xi1>, %[[V:[0-9]+]]: memref<1x2x1x16x32xf32>, %[[OUT:[0-9]+]]:
// CHECK:       scf.for %[[GROUP:.*]] =
// CHECK:         scf.for %[[HEAD:.*]] =
// CHECK:           vector.load %[[K]][%{{.*}}, %[[GROUP]], %{{.*}}, %{{.*}}, %{{.*}}] : memref<1x2x1x16x32xf32>, vector<8xf32>
// CHECK:           memref.load %[[Q]][%{{.*}}, %[[GROUP]], %[[HEAD]], %{{.*}}, %{{.*}}]
// CHECK:           vector.fma
// CHECK:           vector.load %[[M]]{{.*}} vector<8xi1>
// CHECK:           simd.select
// CHECK:           simd.cmpf ogt
// CHECK:           simd.select
// CHECK:           math.exp
// CHECK:           vector.load %[[V]][%{{.*}}, %[[GROUP]], %{{.*}}, %{{.*}}, %{{.*}}] : memref<1x2x1x16x32xf32>, vector<8xf32>
// CHECK:           arith.divf
// CHECK:           vector.store %{{.*}}, %[[OUT]][%{{.*}}, %[[GROUP]], %[[HEAD]], %{{.*}}, %{{.*}}]
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "x86-64-v3", vector_bits = 256>>} {
  func.func private @grouped_causal(%0: memref<1x2x2x16x32xf32>, %1: memref<1x2x1x16x32xf32>, %2: memref<16x16xi1>, %3: memref<1x2x1x16x32xf32>, %4: memref<1x2x2x16x32xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "attention", ["nn.attention"]>} {
    %5 = arith.constant 0.000000e+00 : f32
    %6 = memref.alloca() : memref<1x2x2x16x16xf32>
    linalg.fill ins(%5 : f32) outs(%6 : memref<1x2x2x16x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, 0, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%0, %1 : memref<1x2x2x16x32xf32>, memref<1x2x1x16x32xf32>) outs(%6 : memref<1x2x2x16x16xf32>) {
    ^bb0(%7: f32, %8: f32, %9: f32):
      %10 = arith.mulf %7, %8 : f32
      %11 = arith.addf %9, %10 : f32
      linalg.yield %11 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%6, %2 : memref<1x2x2x16x16xf32>, memref<16x16xi1>) outs(%6 : memref<1x2x2x16x16xf32>) {
    ^bb0(%12: f32, %13: i1, %14: f32):
      %15 = arith.constant 0.176776692 : f32
      %16 = arith.mulf %12, %15 : f32
      %17 = arith.constant 0xff800000 : f32
      %18 = arith.select %13, %16, %17 : f32
      linalg.yield %18 : f32
    }
    %19 = arith.constant -3.40282347e+38 : f32
    %20 = memref.alloca() : memref<1x2x2x16xf32>
    linalg.fill ins(%19 : f32) outs(%20 : memref<1x2x2x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%6 : memref<1x2x2x16x16xf32>) outs(%20 : memref<1x2x2x16xf32>) {
    ^bb0(%21: f32, %22: f32):
      %23 = arith.maximumf %21, %22 : f32
      linalg.yield %23 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%6, %20 : memref<1x2x2x16x16xf32>, memref<1x2x2x16xf32>) outs(%6 : memref<1x2x2x16x16xf32>) {
    ^bb0(%24: f32, %25: f32, %26: f32):
      %27 = arith.subf %24, %25 : f32
      %28 = math.exp %27 : f32
      linalg.yield %28 : f32
    }
    %29 = arith.constant 0.000000e+00 : f32
    %30 = memref.alloca() : memref<1x2x2x16xf32>
    linalg.fill ins(%29 : f32) outs(%30 : memref<1x2x2x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%6 : memref<1x2x2x16x16xf32>) outs(%30 : memref<1x2x2x16xf32>) {
    ^bb0(%31: f32, %32: f32):
      %33 = arith.addf %32, %31 : f32
      linalg.yield %33 : f32
    }
    %34 = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%34 : f32) outs(%4 : memref<1x2x2x16x32xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, 0, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%6, %3 : memref<1x2x2x16x16xf32>, memref<1x2x1x16x32xf32>) outs(%4 : memref<1x2x2x16x32xf32>) {
    ^bb0(%35: f32, %36: f32, %37: f32):
      %38 = arith.mulf %35, %36 : f32
      %39 = arith.addf %37, %38 : f32
      linalg.yield %39 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%4, %30 : memref<1x2x2x16x32xf32>, memref<1x2x2x16xf32>) outs(%4 : memref<1x2x2x16x32xf32>) {
    ^bb0(%40: f32, %41: f32, %42: f32):
      %43 = arith.divf %40, %41 : f32
      linalg.yield %43 : f32
    }
    func.return
  }
}

// -----

// One query with 40 keys, as in a decoder's step, on NEON.
// CHECK-LABEL: @one_query(
// CHECK:       vector.fma {{.*}} : vector<4xf32>
// CHECK:       math.exp {{.*}} : vector<4xf32>
// CHECK:       vector.load %operands_2
// CHECK:       vector.fma
// CHECK:       arith.divf
// CHECK:       vector.store
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "aarch64", vector_bits = 128, vector_registers = 32>>} {
  func.func private @one_query(%operands: memref<1x2x1x32xf32>, %operands_1: memref<1x2x40x32xf32>, %operands_2: memref<1x2x40x32xf32>, %0: memref<1x2x1x32xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "attention", ["nn.attention"]>} {
    %1 = arith.constant 0.000000e+00 : f32
    %2 = memref.alloca() : memref<1x2x1x40xf32>
    linalg.fill ins(%1 : f32) outs(%2 : memref<1x2x1x40xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%operands, %operands_1 : memref<1x2x1x32xf32>, memref<1x2x40x32xf32>) outs(%2 : memref<1x2x1x40xf32>) {
    ^bb0(%3: f32, %4: f32, %5: f32):
      %6 = arith.mulf %3, %4 : f32
      %7 = arith.addf %5, %6 : f32
      linalg.yield %7 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : memref<1x2x1x40xf32>) outs(%2 : memref<1x2x1x40xf32>) {
    ^bb0(%8: f32, %9: f32):
      %10 = arith.constant 0.176776692 : f32
      %11 = arith.mulf %8, %10 : f32
      linalg.yield %11 : f32
    }
    %12 = arith.constant -3.40282347e+38 : f32
    %13 = memref.alloca() : memref<1x2x1xf32>
    linalg.fill ins(%12 : f32) outs(%13 : memref<1x2x1xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%2 : memref<1x2x1x40xf32>) outs(%13 : memref<1x2x1xf32>) {
    ^bb0(%14: f32, %15: f32):
      %16 = arith.maximumf %14, %15 : f32
      linalg.yield %16 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %13 : memref<1x2x1x40xf32>, memref<1x2x1xf32>) outs(%2 : memref<1x2x1x40xf32>) {
    ^bb0(%17: f32, %18: f32, %19: f32):
      %20 = arith.subf %17, %18 : f32
      %21 = math.exp %20 : f32
      linalg.yield %21 : f32
    }
    %22 = arith.constant 0.000000e+00 : f32
    %23 = memref.alloca() : memref<1x2x1xf32>
    linalg.fill ins(%22 : f32) outs(%23 : memref<1x2x1xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%2 : memref<1x2x1x40xf32>) outs(%23 : memref<1x2x1xf32>) {
    ^bb0(%24: f32, %25: f32):
      %26 = arith.addf %25, %24 : f32
      linalg.yield %26 : f32
    }
    %27 = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%27 : f32) outs(%0 : memref<1x2x1x32xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%2, %operands_2 : memref<1x2x1x40xf32>, memref<1x2x40x32xf32>) outs(%0 : memref<1x2x1x32xf32>) {
    ^bb0(%28: f32, %29: f32, %30: f32):
      %31 = arith.mulf %28, %29 : f32
      %32 = arith.addf %30, %31 : f32
      linalg.yield %32 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0, %23 : memref<1x2x1x32xf32>, memref<1x2x1xf32>) outs(%0 : memref<1x2x1x32xf32>) {
    ^bb0(%33: f32, %34: f32, %35: f32):
      %36 = arith.divf %33, %34 : f32
      linalg.yield %36 : f32
    }
    func.return
  }
}
// -----

// With several tiles of queries, a mask of bools is looked through first. A head's values
// times zero tell whether all are finite: if not, every panel counts. A tile then numbers
// the panels and keeps, lane by lane, the last one in which it sees a key. Scores,
// exponentials and the weighted values end there; the ragged last panel of scores is
// always made.
// CHECK-LABEL: @hidden_panels(
// CHECK:       vector.load %3
// CHECK:       vector.fma
// CHECK:       %[[SUM:.*]] = vector.reduction <add>
// CHECK:       %[[FINITE:.*]] = arith.cmpf oeq, %[[SUM]]
// CHECK:       %[[LEAST:.*]] = arith.select %[[FINITE]]
// CHECK:       scf.for
// CHECK:         scf.for {{.*}} -> (vector<8xi32>, vector<8xi32>)
// CHECK:           arith.addi {{.*}} : vector<8xi32>
// CHECK:           vector.load %2{{.*}} vector<8xi1>
// CHECK:           simd.select {{.*}} vector<8xi32>
// CHECK:         vector.reduction <maxui>
// CHECK:         arith.index_cast
// CHECK:         %[[END:.*]] = arith.maxui %{{.*}}, %[[LEAST]]
// CHECK:         %[[COLUMNS:.*]] = arith.muli %[[END]]
// CHECK:         %[[KEYS:.*]] = arith.minui %[[COLUMNS]]
// CHECK:         %[[WHOLE:.*]] = arith.minui %[[END]]
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[WHOLE]]
// CHECK:           vector.fma
// CHECK:         vector.fma
// CHECK:         vector.reduction <maximumf>
// CHECK:         %[[SCORES:.*]] = arith.muli %[[END]]
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[SCORES]]
// CHECK:           math.exp
// CHECK:         arith.minui %{{.*}}, %[[KEYS]]
// CHECK:         arith.divf
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "x86-64-v3", vector_bits = 256>>} {
  func.func private @hidden_panels(%0: memref<1x2x2x40x32xf32>, %1: memref<1x2x1x40x32xf32>, %2: memref<40x40xi1>, %3: memref<1x2x1x40x32xf32>, %4: memref<1x2x2x40x32xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "attention", ["nn.attention"]>} {
    %5 = arith.constant 0.000000e+00 : f32
    %6 = memref.alloca() : memref<1x2x2x40x40xf32>
    linalg.fill ins(%5 : f32) outs(%6 : memref<1x2x2x40x40xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, 0, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%0, %1 : memref<1x2x2x40x32xf32>, memref<1x2x1x40x32xf32>) outs(%6 : memref<1x2x2x40x40xf32>) {
    ^bb0(%7: f32, %8: f32, %9: f32):
      %10 = arith.mulf %7, %8 : f32
      %11 = arith.addf %9, %10 : f32
      linalg.yield %11 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%6, %2 : memref<1x2x2x40x40xf32>, memref<40x40xi1>) outs(%6 : memref<1x2x2x40x40xf32>) {
    ^bb0(%12: f32, %13: i1, %14: f32):
      %15 = arith.constant 0.176776692 : f32
      %16 = arith.mulf %12, %15 : f32
      %17 = arith.constant 0xff800000 : f32
      %18 = arith.select %13, %16, %17 : f32
      linalg.yield %18 : f32
    }
    %19 = arith.constant -3.40282347e+38 : f32
    %20 = memref.alloca() : memref<1x2x2x40xf32>
    linalg.fill ins(%19 : f32) outs(%20 : memref<1x2x2x40xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%6 : memref<1x2x2x40x40xf32>) outs(%20 : memref<1x2x2x40xf32>) {
    ^bb0(%21: f32, %22: f32):
      %23 = arith.maximumf %21, %22 : f32
      linalg.yield %23 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%6, %20 : memref<1x2x2x40x40xf32>, memref<1x2x2x40xf32>) outs(%6 : memref<1x2x2x40x40xf32>) {
    ^bb0(%24: f32, %25: f32, %26: f32):
      %27 = arith.subf %24, %25 : f32
      %28 = math.exp %27 : f32
      linalg.yield %28 : f32
    }
    %29 = arith.constant 0.000000e+00 : f32
    %30 = memref.alloca() : memref<1x2x2x40xf32>
    linalg.fill ins(%29 : f32) outs(%30 : memref<1x2x2x40xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%6 : memref<1x2x2x40x40xf32>) outs(%30 : memref<1x2x2x40xf32>) {
    ^bb0(%31: f32, %32: f32):
      %33 = arith.addf %32, %31 : f32
      linalg.yield %33 : f32
    }
    %34 = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%34 : f32) outs(%4 : memref<1x2x2x40x32xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, 0, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%6, %3 : memref<1x2x2x40x40xf32>, memref<1x2x1x40x32xf32>) outs(%4 : memref<1x2x2x40x32xf32>) {
    ^bb0(%35: f32, %36: f32, %37: f32):
      %38 = arith.mulf %35, %36 : f32
      %39 = arith.addf %37, %38 : f32
      linalg.yield %39 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%4, %30 : memref<1x2x2x40x32xf32>, memref<1x2x2x40xf32>) outs(%4 : memref<1x2x2x40x32xf32>) {
    ^bb0(%40: f32, %41: f32, %42: f32):
      %43 = arith.divf %40, %41 : f32
      linalg.yield %43 : f32
    }
    func.return
  }
}

// -----

// One query: no panel of keys is made. It takes each key, lanes of its depth at a time,
// into a sum for each of eight keys; these are turned over and added up.
// CHECK-LABEL: @one_query(
// CHECK-NOT:   memref.alloca() {{.*}} : memref<1x32x16xf32
// CHECK:       scf.for %[[D:.*]] = {{.*}} iter_args
// CHECK:         %[[Q:.*]] = vector.load %0[{{.*}}, %[[D]]] : memref<1x2x2x1x32xf32>, vector<8xf32>
// CHECK-COUNT-8: vector.fma %[[Q]]
// CHECK-NEXT:    scf.yield
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-7: arith.addf {{.*}} : vector<8xf32>
// CHECK:       arith.mulf
// CHECK:       math.exp
// CHECK:       scf.for {{.*}} iter_args
// CHECK-COUNT-4: vector.fma
// CHECK-NEXT:    scf.yield
// CHECK:       arith.divf
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "x86-64-v3", vector_bits = 256>>} {
  func.func private @one_query(%0: memref<1x2x2x1x32xf32>, %1: memref<1x2x1x16x32xf32>, %2: memref<1x16xi1>, %3: memref<1x2x1x16x32xf32>, %4: memref<1x2x2x1x32xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "attention", ["nn.attention"]>} {
    %5 = arith.constant 0.000000e+00 : f32
    %6 = memref.alloca() : memref<1x2x2x1x16xf32>
    linalg.fill ins(%5 : f32) outs(%6 : memref<1x2x2x1x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, 0, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%0, %1 : memref<1x2x2x1x32xf32>, memref<1x2x1x16x32xf32>) outs(%6 : memref<1x2x2x1x16xf32>) {
    ^bb0(%7: f32, %8: f32, %9: f32):
      %10 = arith.mulf %7, %8 : f32
      %11 = arith.addf %9, %10 : f32
      linalg.yield %11 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%6, %2 : memref<1x2x2x1x16xf32>, memref<1x16xi1>) outs(%6 : memref<1x2x2x1x16xf32>) {
    ^bb0(%12: f32, %13: i1, %14: f32):
      %15 = arith.constant 0.176776692 : f32
      %16 = arith.mulf %12, %15 : f32
      %17 = arith.constant 0xff800000 : f32
      %18 = arith.select %13, %16, %17 : f32
      linalg.yield %18 : f32
    }
    %19 = arith.constant -3.40282347e+38 : f32
    %20 = memref.alloca() : memref<1x2x2x1xf32>
    linalg.fill ins(%19 : f32) outs(%20 : memref<1x2x2x1xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%6 : memref<1x2x2x1x16xf32>) outs(%20 : memref<1x2x2x1xf32>) {
    ^bb0(%21: f32, %22: f32):
      %23 = arith.maximumf %21, %22 : f32
      linalg.yield %23 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%6, %20 : memref<1x2x2x1x16xf32>, memref<1x2x2x1xf32>) outs(%6 : memref<1x2x2x1x16xf32>) {
    ^bb0(%24: f32, %25: f32, %26: f32):
      %27 = arith.subf %24, %25 : f32
      %28 = math.exp %27 : f32
      linalg.yield %28 : f32
    }
    %29 = arith.constant 0.000000e+00 : f32
    %30 = memref.alloca() : memref<1x2x2x1xf32>
    linalg.fill ins(%29 : f32) outs(%30 : memref<1x2x2x1xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%6 : memref<1x2x2x1x16xf32>) outs(%30 : memref<1x2x2x1xf32>) {
    ^bb0(%31: f32, %32: f32):
      %33 = arith.addf %32, %31 : f32
      linalg.yield %33 : f32
    }
    %34 = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%34 : f32) outs(%4 : memref<1x2x2x1x32xf32>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, 0, d5, d4)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%6, %3 : memref<1x2x2x1x16xf32>, memref<1x2x1x16x32xf32>) outs(%4 : memref<1x2x2x1x32xf32>) {
    ^bb0(%35: f32, %36: f32, %37: f32):
      %38 = arith.mulf %35, %36 : f32
      %39 = arith.addf %37, %38 : f32
      linalg.yield %39 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%4, %30 : memref<1x2x2x1x32xf32>, memref<1x2x2x1xf32>) outs(%4 : memref<1x2x2x1x32xf32>) {
    ^bb0(%40: f32, %41: f32, %42: f32):
      %43 = arith.divf %40, %41 : f32
      linalg.yield %43 : f32
    }
    func.return
  }
}
