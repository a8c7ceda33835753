// RUN: devproc-opt %s -p sink-prefetches | filecheck %s

// 600 elements are prefetched with 100 terms, in two blocks: six with each. The results are
// prefetched after the start of the sums.
// CHECK-LABEL: @linear
// CHECK-NOT:   sched.prefetch
// CHECK:       sched.start @n0
// CHECK-NEXT:  sched.prefetch_results @n0 [0]
// CHECK-NEXT:  scf.for
// CHECK:         scf.for %[[K:.*]] = %{{.*}} to
// CHECK-NEXT:      %[[MOVED:.*]] = arith.muli %[[K]], %[[SIX:.*]] : index
// CHECK-NEXT:      %[[FIRST:.*]] = arith.addi %next, %[[MOVED]]
// CHECK-NEXT:      sched.prefetch @n0 of %panels [%[[FIRST]]] size 6 :
// CHECK-NEXT:      sched.term @n0
// CHECK:       sched.finish @n0
// A tile that is not opened prefetches before it.
// CHECK-NEXT:  sched.prefetch @n0 of %panels [%next] size 600
// CHECK-NEXT:  sched.prefetch_results @n0 [0]
// CHECK-NEXT:  sched.tile @n0
func.func private @linear(%x: memref<12x100xf32>, %w: memref<32x100xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>, %y: memref<12x32xf32>, %next: index) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c50 = arith.constant 50 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<6x16xf32>
  %panels = plan.view %w : memref<32x100xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>> -> memref<3200xf32, #dev.on<"cpu">>
  sched.nest @n0 #sched.register_tile<weight = #dev.layout<[0, 1], [16, 1]>, rows = 6, vectors = 2, order = panels, cut = none, block = 64, accumulators = 8, prefetch_panel = yes, prefetch_results = [0], spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%y : memref<12x32xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<12x100xf32>, memref<32x100xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>) outs(%y : memref<12x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
  }
  sched.prefetch @n0 of %panels[%next] size 600 : memref<3200xf32, #dev.on<"cpu">>
  sched.prefetch_results @n0 [0] at [%c0, %c0, %c0] size [6, 16, 100]
  %start = sched.start @n0 at [%c0, %c0, %c0] size [6, 16, 100] : vector<6x16xf32>
  %t = scf.for %b = %c0 to %c100 step %c50 iter_args(%a = %start) -> (vector<6x16xf32>) {
    %end = arith.addi %b, %c50 : index
    %u = scf.for %k = %b to %end step %c1 iter_args(%c = %zeros) -> (vector<6x16xf32>) {
      %n = sched.term @n0 at [%c0, %c0, %k] size [6, 16, 1] to %c : vector<6x16xf32>
      scf.yield %n : vector<6x16xf32>
    }
    %sum = arith.addf %a, %u : vector<6x16xf32>
    scf.yield %sum : vector<6x16xf32>
  }
  sched.finish @n0 at [%c0, %c0, %c0] size [6, 16, 100] of %t : vector<6x16xf32>
  sched.prefetch @n0 of %panels[%next] size 600 : memref<3200xf32, #dev.on<"cpu">>
  sched.prefetch_results @n0 [0] at [%c6, %c0, %c0] size [6, 16, 100]
  sched.tile @n0 at [%c6, %c0, %c0] size [6, 16, 100]
  func.return
}
