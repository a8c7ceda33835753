// RUN: devproc-opt %s -p split-long-sums --split-input-file | filecheck %s

// 200 terms are four blocks of fifty.
// CHECK-LABEL: @blocks
// CHECK:       %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<2x16xf32>
// CHECK:       %[[FIFTY:.*]] = arith.constant 50 : index
// CHECK:       %[[START:.*]] = sched.start
// CHECK-NEXT:  %[[TOTAL:.*]] = scf.for %[[BLOCK:.*]] = %c0 to %end step %[[FIFTY]] iter_args(%[[SUM:.*]] = %[[START]])
// CHECK-NEXT:    %[[UP:.*]] = arith.addi %[[BLOCK]], %[[FIFTY]]
// CHECK-NEXT:    %[[PART:.*]] = scf.for %[[K:.*]] = %[[BLOCK]] to %[[UP]] step %c1 iter_args(%[[FROM:.*]] = %[[ZEROS]])
// CHECK-NEXT:      sched.term @n0 at [%c0, %c0, %[[K]]] size [2, 16, 1] to %[[FROM]]
// CHECK:         arith.addf %[[SUM]], %[[PART]]
// CHECK:       sched.finish @n0 {{.*}} of %[[TOTAL]]
func.func private @blocks(%x: memref<2x200xf32>, %w: memref<200x16xf32>, %y: memref<2x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
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
  %start = sched.start @n0 at [%c0, %c0, %c0] size [2, 16, 200] : vector<2x16xf32>
  %t = scf.for %k = %c0 to %end step %c1 iter_args(%a = %start) -> (vector<2x16xf32>) {
    %n = sched.term @n0 at [%c0, %c0, %k] size [2, 16, 1] to %a : vector<2x16xf32>
    scf.yield %n : vector<2x16xf32>
  }
  sched.finish @n0 at [%c0, %c0, %c0] size [2, 16, 200] of %t : vector<2x16xf32>
  func.return
}

// -----

// 67 is prime: a block, and a rest of 33 terms.
// CHECK-LABEL: @rest
// CHECK:       %[[START:.*]] = sched.start
// CHECK-NEXT:  %[[FIRST:.*]] = scf.for %{{.*}} = %c0 to %[[WHOLE:.*]] step %c1 iter_args
// CHECK:       %[[SUM:.*]] = arith.addf %[[START]], %[[FIRST]]
// CHECK-NEXT:  %[[REST:.*]] = scf.for %{{.*}} = %[[WHOLE]] to %end step %c1 iter_args
// CHECK:       arith.addf %[[SUM]], %[[REST]]
func.func private @rest(%x: memref<2x67xf32>, %w: memref<67x16xf32>, %y: memref<2x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 67 : index
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.register_tile<weight = none, rows = 2, vectors = 2, order = panels, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<2x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<2x67xf32>, memref<67x16xf32>) outs(%y : memref<2x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  %start = sched.start @n0 at [%c0, %c0, %c0] size [2, 16, 67] : vector<2x16xf32>
  %t = scf.for %k = %c0 to %end step %c1 iter_args(%a = %start) -> (vector<2x16xf32>) {
    %n = sched.term @n0 at [%c0, %c0, %k] size [2, 16, 1] to %a : vector<2x16xf32>
    scf.yield %n : vector<2x16xf32>
  }
  sched.finish @n0 at [%c0, %c0, %c0] size [2, 16, 67] of %t : vector<2x16xf32>
  func.return
}

// -----

// 64 terms are no long sum; sums of integers have no roundings.
// CHECK-LABEL: @short
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
func.func private @short(%x: memref<2x64xf32>, %w: memref<64x16xf32>, %y: memref<2x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.register_tile<weight = none, rows = 2, vectors = 2, order = panels, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<2x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<2x64xf32>, memref<64x16xf32>) outs(%y : memref<2x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    }
  }
  %start = sched.start @n0 at [%c0, %c0, %c0] size [2, 16, 64] : vector<2x16xf32>
  %t = scf.for %k = %c0 to %end step %c1 iter_args(%a = %start) -> (vector<2x16xf32>) {
    %n = sched.term @n0 at [%c0, %c0, %k] size [2, 16, 1] to %a : vector<2x16xf32>
    scf.yield %n : vector<2x16xf32>
  }
  sched.finish @n0 at [%c0, %c0, %c0] size [2, 16, 64] of %t : vector<2x16xf32>
  func.return
}

// -----

// CHECK-LABEL: @integers
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
func.func private @integers(%x: memref<2x200xi32>, %w: memref<200x16xi32>, %y: memref<2x16xi32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 200 : index
  %zero = arith.constant 0 : i32
  sched.nest @n0 #sched.register_tile<weight = none, rows = 2, vectors = 2, order = panels, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : i32) outs(%y : memref<2x16xi32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<2x200xi32>, memref<200x16xi32>) outs(%y : memref<2x16xi32>) {
    ^bb0(%a: i32, %b: i32, %c: i32):
      %m = arith.muli %a, %b : i32
      %s = arith.addi %c, %m : i32
      linalg.yield %s : i32
    }
  }
  %start = sched.start @n0 at [%c0, %c0, %c0] size [2, 16, 200] : vector<2x16xi32>
  %t = scf.for %k = %c0 to %end step %c1 iter_args(%a = %start) -> (vector<2x16xi32>) {
    %n = sched.term @n0 at [%c0, %c0, %k] size [2, 16, 1] to %a : vector<2x16xi32>
    scf.yield %n : vector<2x16xi32>
  }
  sched.finish @n0 at [%c0, %c0, %c0] size [2, 16, 200] of %t : vector<2x16xi32>
  func.return
}

// -----

// Other reductions carry along what their additions lose.
// CHECK-LABEL: @column_sums
// CHECK:       %[[START:.*]] = sched.start
// CHECK-NEXT:  %[[TOTAL:.*]], %[[LOST:.*]] = scf.for %{{.*}} = %c0 to %{{.*}} step %{{.*}} iter_args(%[[T:.*]] = %[[START]], %[[L:.*]] = %{{.*}}) -> (vector<40xf32>, vector<40xf32>)
// CHECK:         %[[PART:.*]] = scf.for
// CHECK:         sched.two_sum %[[T]], %[[L]], %[[PART]] : vector<40xf32>
// CHECK:       sched.two_sum
// CHECK-NEXT:  %[[SUM:.*]] = sched.join %{{.*}}, %{{.*}} : vector<40xf32>
// CHECK-NEXT:  sched.finish @n0 {{.*}} of %[[SUM]]
func.func private @column_sums(%x: memref<200x40xf32>, %y: memref<40xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 200 : index
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.vectors<loop = 0, lanes = 8, vectors = 8, inner = none, crossing = none, ragged = mask, block = 64, split = none, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<40xf32>)
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<200x40xf32>) outs(%y : memref<40xf32>) {
    ^bb0(%a: f32, %sum: f32):
      %r = arith.addf %a, %sum : f32
      linalg.yield %r : f32
    }
  }
  %start = sched.start @n0 at [%c0, %c0] size [40, 200] : vector<40xf32>
  %t = scf.for %k = %c0 to %end step %c1 iter_args(%a = %start) -> (vector<40xf32>) {
    %n = sched.term @n0 at [%c0, %k] size [40, 1] to %a : vector<40xf32>
    scf.yield %n : vector<40xf32>
  }
  sched.finish @n0 at [%c0, %c0] size [40, 200] of %t : vector<40xf32>
  func.return
}

// -----

// Two blocks of interleaved sums stay as they are.
// CHECK-LABEL: @split
// CHECK:       scf.for {{.*}} step %c100
// CHECK-COUNT-2: sched.term
// CHECK-NOT:   sched.term
func.func private @split(%x: memref<2x200xf32>, %w: memref<200x16xf32>, %y: memref<2x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
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
  %c2 = arith.constant 2 : index
  %c100 = arith.constant 100 : index
  %zeros = arith.constant dense<0.0> : vector<2x16xf32>
  %start = sched.start @n0 at [%c0, %c0, %c0] size [2, 16, 200] : vector<2x16xf32>
  %t = scf.for %b = %c0 to %end step %c100 iter_args(%a = %start) -> (vector<2x16xf32>) {
    %upper = arith.addi %b, %c100 : index
    %u, %v = scf.for %k = %b to %upper step %c2 iter_args(%d = %zeros, %e = %zeros) -> (vector<2x16xf32>, vector<2x16xf32>) {
      %n = sched.term @n0 at [%c0, %c0, %k] size [2, 16, 1] to %d : vector<2x16xf32>
      %next = arith.addi %k, %c1 : index
      %o = sched.term @n0 at [%c0, %c0, %next] size [2, 16, 1] to %e : vector<2x16xf32>
      scf.yield %n, %o : vector<2x16xf32>, vector<2x16xf32>
    }
    %both = arith.addf %u, %v : vector<2x16xf32>
    %sum = arith.addf %a, %both : vector<2x16xf32>
    scf.yield %sum : vector<2x16xf32>
  }
  sched.finish @n0 at [%c0, %c0, %c0] size [2, 16, 200] of %t : vector<2x16xf32>
  func.return
}
