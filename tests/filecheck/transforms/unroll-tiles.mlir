// RUN: devproc-opt %s -p unroll-tiles --split-input-file | filecheck %s

// Three rows by a ragged vector of four columns in a packed panel: the loads need no mask,
// the stores do. The prefetch stands between the loads and the products.
// CHECK-LABEL: @packed
// CHECK-NOT:   sched
// CHECK:       scf.for %[[PANEL:.*]] =
// CHECK:         scf.for %[[K:.*]] = {{.*}} iter_args
// CHECK:           %[[W:.*]] = vector.load %{{.*}}[%[[PANEL]], %[[K]], %{{.*}}] : memref<3x20x8xf32, #dev.on<"cpu">>, vector<8xf32>
// CHECK-NEXT:      simd.prefetch %flat[%{{.*}}]
// CHECK-NEXT:      %[[X:.*]] = memref.load %x[%{{.*}}, %[[K]]]
// CHECK-NEXT:      %[[ALL:.*]] = vector.broadcast %[[X]]
// CHECK-NEXT:      vector.fma %[[ALL]], %[[W]]
// CHECK-COUNT-2:   vector.fma
// CHECK-NEXT:      scf.yield
// CHECK-COUNT-3: vector.maskedstore
// CHECK-NOT:   vector<3x4xf32>
// CHECK:       func.return
func.func private @packed(%x: memref<3x20xf32>, %w: memref<20x20xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>, %y: memref<3x20xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c20 = arith.constant 20 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<3x4xf32>
  %flat = plan.view %w : memref<20x20xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>> -> memref<480xf32, #dev.on<"cpu">>
  sched.nest @n0 #sched.register_tile<weight = #dev.layout<[0, 1], [8, 1]>, rows = 3, vectors = 1, order = panels, cut = none, block = 64, accumulators = 3, prefetch_panel = yes, prefetch_results = [], spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<3x20xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<3x20xf32>, memref<20x20xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>) outs(%y : memref<3x20xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
  }
  scf.for %panel = %c2 to %c3 step %c1 {
    %column = arith.muli %panel, %c8 : index
    %start = sched.start @n0 at [%c0, %column, %c0] size [3, 4, 20] : vector<3x4xf32>
    %t = scf.for %k = %c0 to %c20 step %c1 iter_args(%a = %start) -> (vector<3x4xf32>) {
      sched.prefetch @n0 of %flat[%k] size 8 : memref<480xf32, #dev.on<"cpu">>
      %n = sched.term @n0 at [%c0, %column, %k] size [3, 4, 1] to %a : vector<3x4xf32>
      scf.yield %n : vector<3x4xf32>
    }
    sched.finish @n0 at [%c0, %column, %c0] size [3, 4, 20] of %t : vector<3x4xf32>
  }
  func.return
}

// -----

// A tile that was not opened: the sums of two pixels by two vectors of channels, and what
// is computed with them.
// CHECK-LABEL: @depthwise
// CHECK-NOT:   sched
// CHECK:       scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK:         scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-2:   vector.load %w
// CHECK-COUNT-4:   vector.fma
// CHECK-COUNT-4: vector.store
func.func private @depthwise(%x: memref<3x4x16xf32>, %w: memref<3x3x16xf32>, %y: memref<2x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.pixel_tile<vectors = 2, pixels = 2, block = none, split = none, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<2x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(x, c, p, q) -> (p, x + q, c)>, affine_map<(x, c, p, q) -> (p, q, c)>, affine_map<(x, c, p, q) -> (x, c)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : memref<3x4x16xf32>, memref<3x3x16xf32>) outs(%y : memref<2x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  sched.tile @n0 at [%c0, %c0, %c0, %c0] size [2, 16, 3, 3]
  func.return
}

// -----

// What a tile that was not opened prefetches is prefetched before its sum.
// CHECK-LABEL: @before
// CHECK:         simd.prefetch %flat[%c0]
// CHECK-COUNT-2: simd.prefetch %flat
// CHECK-COUNT-2: simd.prefetch %y
// CHECK:         scf.for
// CHECK-NOT:     simd.prefetch
func.func private @before(%x: memref<2x20xf32>, %w: memref<20x8xf32>, %y: memref<2x8xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %flat = plan.view %w : memref<20x8xf32> -> memref<160xf32>
  sched.nest @n0 #sched.register_tile<weight = none, rows = 2, vectors = 1, order = panels, cut = none, block = 64, accumulators = 2, prefetch_panel = no, prefetch_results = [0], spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<2x8xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<2x20xf32>, memref<20x8xf32>) outs(%y : memref<2x8xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
  }
  sched.prefetch @n0 of %flat[%c0] size 48 : memref<160xf32>
  sched.prefetch_results @n0 [0] at [%c0, %c0, %c0] size [2, 8, 20]
  sched.tile @n0 at [%c0, %c0, %c0] size [2, 8, 20]
  func.return
}
