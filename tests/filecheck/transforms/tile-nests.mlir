// RUN: devproc-opt %s -p tile-nests --split-input-file --verify-diagnostics | filecheck %s

// 69 rows are nine tiles of seven and one of six, which meet two whole panels and a ragged
// one of 4 columns, spread over threads. The nest stays.
// CHECK-LABEL: @linear
// CHECK:       sched.nest @n0
// CHECK:       "scf.parallel"
// CHECK-NEXT:  ^{{.*}}(%[[PANEL:.*]]: index):
// CHECK:         scf.if
// CHECK-NEXT:      %[[COLUMN:.*]] = arith.muli %[[PANEL]], %{{.*}}
// CHECK-NEXT:      scf.for %[[TILE:.*]] =
// CHECK-NEXT:        %[[ROW:.*]] = arith.muli %[[TILE]], %{{.*}}
// CHECK-NEXT:        sched.tile @n0 at [%[[ROW]], %[[COLUMN]], %{{.*}}] size [7, 48, 100]
// CHECK:           sched.tile @n0 at [{{.*}}] size [6, 48, 100]
// CHECK-NEXT:    } else {
// CHECK:             sched.tile @n0 at [{{.*}}] size [7, 4, 100]
// CHECK:           sched.tile @n0 at [{{.*}}] size [6, 4, 100]
// CHECK:       grain = 1
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @linear(%a: memref<69x100xf32>, %w: memref<100x100xf32>, %y: memref<69x100xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.register_tile<weight = none, rows = 7, vectors = 3, order = panels, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 1, grain = 1> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<69x100xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : memref<69x100xf32>, memref<100x100xf32>) outs(%y : memref<69x100xf32>) {
    ^bb0(%p: f32, %q: f32, %c: f32):
      %m = arith.mulf %p, %q : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  func.return
}
}

// -----

// A tile of rows meets all panels; each prefetches its results.
// CHECK-LABEL: @rows_outside
// CHECK:       scf.for %[[TILE:.*]] =
// CHECK-NEXT:    %[[ROW:.*]] = arith.muli %[[TILE]]
// CHECK-NEXT:    scf.for %[[PANEL:.*]] =
// CHECK-NEXT:      %[[COLUMN:.*]] = arith.muli %[[PANEL]]
// CHECK-NEXT:      sched.prefetch_results @n0 [0] at [%[[ROW]], %[[COLUMN]], %{{.*}}] size [4, 16, 9]
// CHECK-NEXT:      sched.tile @n0 at [%[[ROW]], %[[COLUMN]], %{{.*}}] size [4, 16, 9]
func.func private @rows_outside(%a: memref<8x9xf32>, %w: memref<9x32xf32>, %y: memref<8x32xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.register_tile<weight = none, rows = 4, vectors = 2, order = rows, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [0], spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<8x32xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : memref<8x9xf32>, memref<9x32xf32>) outs(%y : memref<8x32xf32>) {
    ^bb0(%p: f32, %q: f32, %c: f32):
      %m = arith.mulf %p, %q : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  func.return
}

// -----

// Nine pixels of a line are three tiles; 24 channels are two vectors and one.
// CHECK-LABEL: @depthwise
// CHECK:       scf.for %[[LINE:.*]] =
// CHECK-NEXT:    scf.for
// CHECK:           sched.tile @n0 at [%[[LINE]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] size [1, 3, 16, 3, 3]
// CHECK-NEXT:      sched.tile @n0 at [%[[LINE]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] size [1, 3, 8, 3, 3]
func.func private @depthwise(%x: memref<9x11x24xf32>, %w: memref<3x3x24xf32>, %y: memref<7x9x24xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>} {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.pixel_tile<vectors = 2, pixels = 3, block = none, split = none, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<7x9x24xf32>)
    linalg.generic {indexing_maps = [affine_map<(y, x, c, p, q) -> (y + p, x + q, c)>, affine_map<(y, x, c, p, q) -> (p, q, c)>, affine_map<(y, x, c, p, q) -> (y, x, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : memref<9x11x24xf32>, memref<3x3x24xf32>) outs(%y : memref<7x9x24xf32>) {
    ^bb0(%p: f32, %q: f32, %c: f32):
      %m = arith.mulf %p, %q : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  func.return
}

// -----

// A nest that has tiles gets no others; one whose algorithm has none stays.
// CHECK-LABEL: @done
// CHECK:         sched.nest @n0
// CHECK:         sched.nest @n1
// CHECK-NOT:     scf.for
// CHECK-COUNT-1: sched.tile @n0
// CHECK-NOT:     sched.tile
func.func private @done(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.vectors<loop = 0, lanes = 8, vectors = 1, inner = none, crossing = none, ragged = mask, block = none, split = none, grain = none> why "by hand" {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<16xf32>) outs(%y : memref<16xf32>) {
    ^bb0(%a: f32, %unused: f32):
      %r = arith.maximumf %a, %zero : f32
      linalg.yield %r : f32
    }
  }
  sched.nest @n1 #sched.padding<lanes = 8> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%z : memref<16xf32>)
  }
  sched.tile @n0 at [%c0] size [16]
  func.return
}

// -----

// CHECK: the nest @n0 of the kernel @illegal cannot have the schedule {{.*}}: 'rows': 7 rows are not tiles of 5 or 4
func.func private @illegal(%a: memref<7x9xf32>, %w: memref<9x32xf32>, %y: memref<7x32xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.register_tile<weight = none, rows = 5, vectors = 2, order = rows, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<7x32xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : memref<7x9xf32>, memref<9x32xf32>) outs(%y : memref<7x32xf32>) {
    ^bb0(%p: f32, %q: f32, %c: f32):
      %m = arith.mulf %p, %q : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  func.return
}
