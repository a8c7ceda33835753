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
