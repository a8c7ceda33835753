// RUN: devproc-opt %s -p interleave-sums --split-input-file | filecheck %s

// Two sums to an iteration hide less latency than eight: four terms at a time. The last of
// 49 terms is added alone.
// CHECK-LABEL: @row
// CHECK:       %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK:       %[[START:.*]] = sched.start
// CHECK:       %[[A:.*]], %[[B:.*]], %[[C:.*]], %[[D:.*]] = scf.for %[[K:.*]] = %c0 to %[[WHOLE:.*]] step %{{.*}} iter_args(%[[SA:.*]] = %[[START]], %{{.*}} = %[[ZEROS]], %{{.*}} = %[[ZEROS]], %{{.*}} = %[[ZEROS]])
// CHECK-NEXT:    sched.term @n0 at [%c0, %[[K]]] size [16, 1] to %[[SA]]
// CHECK-NEXT:    %[[NEXT:.*]] = arith.addi %[[K]], %c1
// CHECK-NEXT:    sched.term @n0 at [%c0, %[[NEXT]]] size [16, 1]
// CHECK-COUNT-2: sched.term
// CHECK-NOT:     sched.term
// CHECK:       %[[AB:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT:  %[[ABC:.*]] = arith.addf %[[AB]], %[[C]]
// CHECK-NEXT:  %[[ALL:.*]] = arith.addf %[[ABC]], %[[D]]
// CHECK-NEXT:  %[[TOTAL:.*]] = sched.term @n0 at [%c0, %[[WHOLE]]] size [16, 1] to %[[ALL]]
// CHECK-NEXT:  sched.finish @n0 at [%c0, %c0] size [16, 49] of %[[TOTAL]]
func.func private @row(%x: memref<49xf32>, %w: memref<49x16xf32>, %y: memref<16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c49 = arith.constant 49 : index
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.register_tile<weight = none, rows = 1, vectors = 2, order = panels, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<16xf32>)
    linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<49xf32>, memref<49x16xf32>) outs(%y : memref<16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
  }
  %start = sched.start @n0 at [%c0, %c0] size [16, 49] : vector<16xf32>
  %t = scf.for %k = %c0 to %c49 step %c1 iter_args(%a = %start) -> (vector<16xf32>) {
    %n = sched.term @n0 at [%c0, %k] size [16, 1] to %a : vector<16xf32>
    scf.yield %n : vector<16xf32>
  }
  sched.finish @n0 at [%c0, %c0] size [16, 49] of %t : vector<16xf32>
  func.return
}

// -----

// A block of a long sum, whose bounds are no constants, but whose length is; and too few
// terms for streams.
// CHECK-LABEL: @block
// CHECK:         scf.for %[[BLOCK:.*]] = %c0 to %c128 step %c64
// CHECK:           %[[END:.*]] = arith.addi %[[BLOCK]], %c64
// CHECK-NEXT:      arith.addi %[[BLOCK]], %c64
// CHECK-NEXT:      scf.for %{{.*}} = %[[BLOCK]] to %{{.*}} -> (vector<16xi32>, vector<16xi32>, vector<16xi32>, vector<16xi32>)
// CHECK-COUNT-4:     sched.term
// CHECK:           arith.addi {{.*}} : vector<16xi32>
// CHECK:         scf.for %{{.*}} = %c0 to %c7 step %c1 {{.*}} -> (vector<16xi32>)
func.func private @block(%x: memref<128xi32>, %w: memref<128x16xi32>, %y: memref<16xi32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0 : i32
  sched.nest @n0 #sched.register_tile<weight = none, rows = 1, vectors = 2, order = panels, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : i32) outs(%y : memref<16xi32>)
    linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<128xi32>, memref<128x16xi32>) outs(%y : memref<16xi32>) {
    ^bb0(%a: i32, %b: i32, %c: i32):
      %p = arith.muli %a, %b : i32
      %s = arith.addi %c, %p : i32
      linalg.yield %s : i32
    }
  }
  %start = sched.start @n0 at [%c0, %c0] size [16, 128] : vector<16xi32>
  %t = scf.for %b = %c0 to %c128 step %c64 iter_args(%a = %start) -> (vector<16xi32>) {
    %end = arith.addi %b, %c64 : index
    %u = scf.for %k = %b to %end step %c1 iter_args(%c = %a) -> (vector<16xi32>) {
      %n = sched.term @n0 at [%c0, %k] size [16, 1] to %c : vector<16xi32>
      scf.yield %n : vector<16xi32>
    }
    scf.yield %u : vector<16xi32>
  }
  %v = scf.for %k = %c0 to %c7 step %c1 iter_args(%a = %t) -> (vector<16xi32>) {
    %n = sched.term @n0 at [%c0, %k] size [16, 1] to %a : vector<16xi32>
    scf.yield %n : vector<16xi32>
  }
  sched.finish @n0 at [%c0, %c0] size [16, 128] of %v : vector<16xi32>
  func.return
}
