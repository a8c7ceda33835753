// RUN: devproc-opt %s -p 'choose-schedules{algorithms=rows,vectors},tile-nests,open-tiles,split-long-sums' | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {

// A tile is a row. The largest of the row goes to the pass that sums up the exponentials,
// their sum to that of the quotients.
// CHECK-LABEL: @softmax
// CHECK:       sched.nest @n0 #sched.rows
// CHECK:       "scf.parallel"
// CHECK-NEXT:  ^bb{{.*}}(%[[I:.*]]: index):
// CHECK-NEXT:    %[[MOST:.*]] = sched.pass @n0 at [%[[I]]] stages [0] : () -> f32
// CHECK-NEXT:    %[[SUM:.*]] = sched.pass @n0 at [%[[I]]] stages [1, 2] given %[[MOST]] : (f32) -> f32
// CHECK-NEXT:    sched.pass @n0 at [%[[I]]] stages [3] given %[[SUM]] : (f32) -> ()
// CHECK-NEXT:    scf.reduce
func.func private @softmax(%a: memref<64x256xf32>, %y: memref<64x256xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.softmax"]>} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = memref.alloca() : memref<64x1xf32>
  %s = memref.alloca() : memref<64x1xf32>
  linalg.fill ins(%lowest : f32) outs(%m : memref<64x1xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : memref<64x256xf32>) outs(%m : memref<64x1xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %r = arith.maximumf %v, %acc : f32
    linalg.yield %r : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %m : memref<64x256xf32>, memref<64x1xf32>) outs(%y : memref<64x256xf32>) {
  ^bb0(%v: f32, %most: f32, %unused: f32):
    %d = arith.subf %v, %most : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  linalg.fill ins(%zero : f32) outs(%s : memref<64x1xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%y : memref<64x256xf32>) outs(%s : memref<64x1xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %r = arith.addf %v, %acc : f32
    linalg.yield %r : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%y, %s : memref<64x256xf32>, memref<64x1xf32>) outs(%y : memref<64x256xf32>) {
  ^bb0(%e: f32, %total: f32, %unused: f32):
    %r = arith.divf %e, %total : f32
    linalg.yield %r : f32
  }
  func.return
}

// The sums of a tile are one vector; 1000 terms go in blocks of 64, and what is left.
// CHECK-LABEL: @column_sums
// CHECK:       %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK:       %[[START:.*]] = sched.start @n0 at [%c0, %c0] size [16, 1000] : vector<16xf32>
// CHECK-NEXT:  %[[TOTAL:.*]], %[[LOST:.*]] = scf.for %[[B:.*]] = %c0 to %c960 step %c64 iter_args(%[[T:.*]] = %[[START]], %[[L:.*]] = %[[ZEROS]])
// CHECK-NEXT:    %[[END:.*]] = arith.addi %[[B]], %c64 : index
// CHECK-NEXT:    %[[BLOCK:.*]] = scf.for %[[K:.*]] = %[[B]] to %[[END]] step %c1 iter_args(%[[S:.*]] = %[[ZEROS]])
// CHECK-NEXT:      sched.term @n0 at [%c0, %[[K]]] size [16, 1] to %[[S]] : vector<16xf32>
// CHECK:         sched.two_sum %[[T]], %[[L]], %[[BLOCK]] : vector<16xf32>
// CHECK:       %[[REST:.*]] = scf.for %{{.*}} = %c960 to %c1000 step %c1
// CHECK:       %[[T2:.*]], %[[L2:.*]] = sched.two_sum %[[TOTAL]], %[[LOST]], %[[REST]] : vector<16xf32>
// CHECK-NEXT:  %[[JOINED:.*]] = sched.join %[[T2]], %[[L2]] : vector<16xf32>
// CHECK-NEXT:  sched.finish @n0 at [%c0, %c0] size [16, 1000] of %[[JOINED]] : vector<16xf32>
func.func private @column_sums(%x: memref<1000x16xf32>, %y: memref<16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<16xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : memref<1000x16xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %r = arith.addf %v, %acc : f32
    linalg.yield %r : f32
  }
  func.return
}

}
