// RUN: devproc-opt %s -p 'choose-schedules{algorithms=register_tile},tile-nests,open-tiles,split-long-sums,interleave-sums,sink-prefetches' | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {

// A tile of seven rows by a panel; the last panel has four columns. The sums of 64 terms are
// one block.
// CHECK-LABEL: @linear_relu
// CHECK:       sched.nest @n0 #sched.register_tile
// CHECK:       "scf.parallel"
// CHECK:         scf.if
// CHECK:           %[[START:.*]] = sched.start @n0 at [%[[ROW:.*]], %[[COLUMN:.*]], %[[ZERO:.*]]] size [7, 48, 64] : vector<7x48xf32>
// CHECK-NEXT:      %[[SUMS:.*]] = scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[SUM:.*]] = %[[START]]) -> (vector<7x48xf32>) {
// CHECK-NEXT:        %[[NEXT:.*]] = sched.term @n0 at [%[[ROW]], %[[COLUMN]], %[[K]]] size [7, 48, 1] to %[[SUM]] : vector<7x48xf32>
// CHECK-NEXT:        scf.yield %[[NEXT]]
// CHECK-NEXT:      }
// CHECK-NEXT:      sched.finish @n0 at [%[[ROW]], %[[COLUMN]], %[[ZERO]]] size [7, 48, 64] of %[[SUMS]]
// CHECK:         } else {
// CHECK:           sched.start @n0 {{.*}} size [7, 4, 64] : vector<7x4xf32>
// CHECK:           sched.finish
func.func private @linear_relu(%x: memref<49x64xf32>, %w: memref<100x64xf32, #dev.on<"cpu", #dev.layout<[0, 1], [48, 1]>>>, %y: memref<49x100xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear", "nn.relu"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<49x100xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<49x64xf32>, memref<100x64xf32, #dev.on<"cpu", #dev.layout<[0, 1], [48, 1]>>>) outs(%y : memref<49x100xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%y : memref<49x100xf32>) outs(%y : memref<49x100xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}

// Blocks of 64 terms; within a block, four terms at a time.
// CHECK-LABEL: @one_row
// CHECK:       %[[START:.*]] = sched.start @n0 {{.*}} : vector<32xf32>
// CHECK-NEXT:  scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[START]])
// CHECK:         %[[A:.*]], %[[B:.*]], %[[C:.*]], %[[D:.*]] = scf.for
// CHECK-COUNT-4:   sched.term
// CHECK-NOT:       sched.term
// CHECK:         %[[AB:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT:    %[[ABC:.*]] = arith.addf %[[AB]], %[[C]]
// CHECK-NEXT:    %[[ABCD:.*]] = arith.addf %[[ABC]], %[[D]]
// CHECK-NEXT:    arith.addf %[[SUM]], %[[ABCD]]
func.func private @one_row(%x: memref<1x1024xf32>, %w: memref<1024x32xf32>, %y: memref<1x32xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x32xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<1x1024xf32>, memref<1024x32xf32>) outs(%y : memref<1x32xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}

}
