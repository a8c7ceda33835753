// RUN: devproc-opt %s -p open-tiles --split-input-file | filecheck %s

// CHECK-LABEL: @product
// CHECK:       %[[START:.*]] = sched.start @n0 at [%c0, %c0, %c0] size [2, 16, 200] : vector<2x16xf32>
// CHECK-NEXT:  %[[TOTAL:.*]] = scf.for %[[K:.*]] = %c0 to %end step %c1 iter_args(%[[SUM:.*]] = %[[START]]) -> (vector<2x16xf32>) {
// CHECK-NEXT:    %[[NEXT:.*]] = sched.term @n0 at [%c0, %c0, %[[K]]] size [2, 16, 1] to %[[SUM]] : vector<2x16xf32>
// CHECK-NEXT:    scf.yield %[[NEXT]]
// CHECK-NEXT:  }
// CHECK-NEXT:  sched.finish @n0 at [%c0, %c0, %c0] size [2, 16, 200] of %[[TOTAL]] : vector<2x16xf32>
// CHECK-NOT:   sched.tile
func.func private @product(%x: memref<2x200xf32>, %w: memref<200x16xf32>, %y: memref<2x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 200 : index
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.register_tile<weight = none, rows = 2, vectors = 2, order = panels, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<2x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<2x200xf32>, memref<200x16xf32>) outs(%y : memref<2x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  sched.tile @n0 at [%c0, %c0, %c0] size [2, 16, 200]
  func.return
}

// -----

// A window over each channel has a loop for each dimension of its taps.
// CHECK-LABEL: @depthwise
// CHECK:       sched.start @n0 {{.*}} size [1, 3, 16, 3, 2] : vector<3x16xf32>
// CHECK-NEXT:  scf.for %[[P:.*]] = %c0 to %{{.*}} step
// CHECK-NEXT:    scf.for %[[Q:.*]] = %c0 to %{{.*}} step
// CHECK-NEXT:      sched.term @n0 at [%c0, %c0, %c0, %[[P]], %[[Q]]] size [1, 3, 16, 1, 1]
// CHECK:       sched.finish @n0
func.func private @depthwise(%x: memref<9x10x24xf32>, %w: memref<3x2x24xf32>, %y: memref<7x9x24xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.pixel_tile<vectors = 2, pixels = 3, block = none, split = none, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<7x9x24xf32>)
    linalg.generic {indexing_maps = [affine_map<(y, x, c, p, q) -> (y + p, x + q, c)>, affine_map<(y, x, c, p, q) -> (p, q, c)>, affine_map<(y, x, c, p, q) -> (y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : memref<9x10x24xf32>, memref<3x2x24xf32>) outs(%y : memref<7x9x24xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  sched.tile @n0 at [%c0, %c0, %c0, %c0, %c0] size [1, 3, 16, 3, 2]
  func.return
}

// -----

// Nothing is summed: the tile stays.
// CHECK-LABEL: @relu
// CHECK:       sched.tile @n0 at [%c0] size [16]
func.func private @relu(%x: memref<16xf32>, %y: memref<16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.vectors<loop = 0, lanes = 8, vectors = 1, inner = none, crossing = none, ragged = mask, block = none, split = none, grain = none> why "by hand" {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<16xf32>) outs(%y : memref<16xf32>) {
    ^bb0(%a: f32, %unused: f32):
      %r = arith.maximumf %a, %zero : f32
      linalg.yield %r : f32
    }
  }
  sched.tile @n0 at [%c0] size [16]
  func.return
}

// -----

// A row of a softmax: its largest element, the sum of what is exponentiated, the quotients.
// CHECK-LABEL: @softmax
// CHECK:       %[[MOST:.*]] = sched.pass @n0 at [%row] stages [0] : () -> f32
// CHECK-NEXT:  %[[SUM:.*]] = sched.pass @n0 at [%row] stages [1, 2] given %[[MOST]] : (f32) -> f32
// CHECK-NEXT:  sched.pass @n0 at [%row] stages [3] given %[[SUM]] : (f32) -> ()
func.func private @softmax(%a: memref<5x40xf32>, %y: memref<5x40xf32>, %row: index) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.softmax"]>} {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = memref.alloca() : memref<5x1xf32>
  %s = memref.alloca() : memref<5x1xf32>
  sched.nest @n0 #sched.rows<lanes = 8, vectors = [4, 4, 4], block = none, grain = none> why "by hand" {
    linalg.fill ins(%lowest : f32) outs(%m : memref<5x1xf32>)
    linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%a : memref<5x40xf32>) outs(%m : memref<5x1xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %r = arith.maximumf %v, %acc : f32
      linalg.yield %r : f32
    }
    linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%a, %m : memref<5x40xf32>, memref<5x1xf32>) outs(%y : memref<5x40xf32>) {
    ^bb0(%v: f32, %most: f32, %unused: f32):
      %d = arith.subf %v, %most : f32
      %r = math.exp %d : f32
      linalg.yield %r : f32
    }
    linalg.fill ins(%zero : f32) outs(%s : memref<5x1xf32>)
    linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%y : memref<5x40xf32>) outs(%s : memref<5x1xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %r = arith.addf %v, %acc : f32
      linalg.yield %r : f32
    }
    linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%y, %s : memref<5x40xf32>, memref<5x1xf32>) outs(%y : memref<5x40xf32>) {
    ^bb0(%e: f32, %total: f32, %unused: f32):
      %r = arith.divf %e, %total : f32
      linalg.yield %r : f32
    }
  }
  sched.tile @n0 at [%row, %c0] size [1, 40]
  func.return
}
