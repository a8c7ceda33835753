// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// CHECK-LABEL: func.func private @tiles
func.func private @tiles(%y: memref<49x144xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<49x144xf32>)
  }
  scf.for %i = %c0 to %c7 step %c1 {
    %row = arith.muli %i, %c7 : index
    // CHECK: sched.tile @n0 at [%row, %c0] size [7, 144]
    sched.tile @n0 at [%row, %c0] size [7, 144]
    // The loops were merged into one.
    // CHECK-NEXT: sched.tile @n0 at [%c0] size [7056] {note}
    sched.tile @n0 at [%c0] size [7056] {note}
  }
  func.return
}

// CHECK-LABEL: func.func private @linear
func.func private @linear(%x: memref<49x100xf32>, %w: memref<100x144xf32>, %y: memref<49x144xf32>,
                          %row: index, %column: index, %k: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %flat = plan.view %w : memref<100x144xf32> -> memref<14400xf32>
  sched.nest @n0 #sched.register_tile<weight = none, rows = 7, vectors = 3, order = panels, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [0], spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<49x144xf32>)
    linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]
    } ins(%x, %w : memref<49x100xf32>, memref<100x144xf32>) outs(%y : memref<49x144xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
  }
  // CHECK:      %sums = sched.start @n0 at [%row, %column, %c0] size [7, 48, 100] : vector<7x48xf32>
  %sums = sched.start @n0 at [%row, %column, %c0] size [7, 48, 100] : vector<7x48xf32>
  // CHECK-NEXT: sched.prefetch_results @n0 [0] at [%row, %column, %c0] size [7, 48, 100]
  sched.prefetch_results @n0 [0] at [%row, %column, %c0] size [7, 48, 100]
  // CHECK-NEXT: sched.prefetch @n0 of %flat [%column] size 48 : memref<14400xf32>
  sched.prefetch @n0 of %flat[%column] size 48 : memref<14400xf32>
  // CHECK-NEXT: %more = sched.term @n0 at [%row, %column, %k] size [7, 48, 1] to %sums : vector<7x48xf32>
  %more = sched.term @n0 at [%row, %column, %k] size [7, 48, 1] to %sums : vector<7x48xf32>
  // CHECK-NEXT: sched.finish @n0 at [%row, %column, %c0] size [7, 48, 100] of %more : vector<7x48xf32>
  sched.finish @n0 at [%row, %column, %c0] size [7, 48, 100] of %more : vector<7x48xf32>
  func.return
}

// CHECK-LABEL: func.func private @blocks
func.func private @blocks(%total: vector<64xf32>, %lost: vector<64xf32>, %block: vector<64xf32>) {
  // CHECK:      %t, %l = sched.two_sum %total, %lost, %block : vector<64xf32>
  %t, %l = sched.two_sum %total, %lost, %block : vector<64xf32>
  // CHECK-NEXT: %s = sched.join %t, %l : vector<64xf32>
  %s = sched.join %t, %l : vector<64xf32>
  func.return
}

// CHECK-LABEL: func.func private @softmax
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
  // CHECK:      %largest = sched.pass @n0 at [%row] stages [0] : () -> f32
  %largest = sched.pass @n0 at [%row] stages [0] : () -> f32
  // CHECK-NEXT: %exps = sched.pass @n0 at [%row] stages [1, 2] given %largest : (f32) -> f32
  %exps = sched.pass @n0 at [%row] stages [1, 2] given %largest : (f32) -> f32
  // CHECK-NEXT: sched.pass @n0 at [%row] stages [3] given %exps : (f32) -> ()
  sched.pass @n0 at [%row] stages [3] given %exps : (f32) -> ()
  func.return
}
