// RUN: devproc-opt %s -p 'choose-schedules{algorithms=rows,vectors},tile-nests,open-tiles,split-long-sums' | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 256>>} {

// Rows are spread over threads. A tile is four vectors of a row; the last one is smaller.
// CHECK-LABEL: @add_to_rows
// CHECK:       sched.nest @n0 #sched.vectors<loop = 1, lanes = 8, vectors = 4,
// CHECK:       "scf.parallel"
// CHECK-NEXT:  ^bb{{.*}}(%[[I:.*]]: index):
// CHECK-NEXT:    scf.for %[[J:.*]] = %c0 to %c224 step %c32 {
// CHECK-NEXT:      sched.tile @n0 at [%[[I]], %[[J]]] size [1, 32]
// CHECK-NEXT:    }
// CHECK-NEXT:    sched.tile @n0 at [%[[I]], %c224] size [1, 26]
// CHECK-NEXT:    scf.reduce
// CHECK-NEXT:  }) {grain = 66 : i64}
func.func private @add_to_rows(%x: memref<400x250xf32>, %b: memref<400xf32>, %y: memref<400x250xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x, %b : memref<400x250xf32>, memref<400xf32>) outs(%y : memref<400x250xf32>) {
  ^bb0(%a: f32, %c: f32, %unused: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  }
  func.return
}

// A tile of squares has all of the crossing loop. It has no sums: it stays one op.
// CHECK-LABEL: @turn
// CHECK:       sched.nest @n0 #sched.vectors<loop = 1, lanes = 8, vectors = 2, inner = none, crossing = 0, ragged = repeat,
// CHECK:       sched.tile @n0 at [%c0, %c0] size [9, 10]
// CHECK-NEXT:  func.return
func.func private @turn(%x: memref<10x9xf32> {llvm.noalias}, %y: memref<9x10xf32> {llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.slice", "nn.transpose"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i * -1 + 8)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<10x9xf32>) outs(%y : memref<9x10xf32>) {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %a : f32
  }
  func.return
}

}
