// RUN: devproc-opt %s -p 'choose-schedules{algorithms=rows,padding,channels,row_parts,vectors},tile-nests,open-tiles,split-long-sums,interleave-sums,sink-prefetches,unroll-tiles,expand-schedules' | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 256>>} {

// Rows are spread over threads; four vectors of eight side by side; the ragged end is
// masked; a value of the row is loaded once and repeated.
// CHECK-LABEL: @add_to_rows
// CHECK:       "scf.parallel"
// CHECK-NEXT:  ^bb{{.*}}(%[[I:.*]]: index):
// CHECK-NEXT:    scf.for
// CHECK-COUNT-4:   vector.load %x[%[[I]], %{{.*}}] : memref<400x250xf32>, vector<8xf32>
// CHECK:         vector.maskedload %x
// CHECK:         vector.maskedstore
// CHECK:       grain = 66 : i64
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

// Backwards too: the last place comes first. Nothing overlaps and nothing reads the result,
// so a ragged end is no mask but a whole vector that ends there, rows and columns alike.
// CHECK-LABEL: @turn
// CHECK-NOT:   vector.maskedload
// CHECK-NOT:   simd.gather
// CHECK:       %[[LAST:.*]] = arith.constant 2 : index
// CHECK:       vector.store %{{.*}}, %y[%{{.*}}, %[[LAST]]] : memref<9x10xf32>, vector<8xf32>
// CHECK-NOT:   vector.maskedstore
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

// Two ops that write parts of the same rows walk over them together.
// CHECK-LABEL: @parts
// CHECK-COUNT-1: scf.for
// CHECK:         vector.load %a
// CHECK:         vector.store %{{.*}}, %y
// CHECK:         vector.load %b
// CHECK:         vector.store %{{.*}}, %y
// CHECK:       func.return
func.func private @parts(%a: memref<5x8xf32>, %b: memref<5x8xf32>, %y: memref<5x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.concat"]>} {
  linalg_ext.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a : memref<5x8xf32>) outs(%y : memref<5x16xf32>) attrs = {loop_sizes = array<i64: 5, 8>} {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j + 8)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%b : memref<5x8xf32>) outs(%y : memref<5x16xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  func.return
}

// bool and f32: as many lanes as f32 has. Comparing vectors is simd's, like selecting.
// CHECK-LABEL: @positive
// CHECK:       vector.load %{{.*}} : memref<32xf32>, vector<8xf32>
// CHECK:       simd.cmpf ogt
// CHECK:       vector.store %{{.*}} : memref<32xi1>, vector<8xi1>
func.func private @positive(%x: memref<4x8xf32>, %y: memref<4x8xi1>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.gt"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xi1>) {
  ^bb0(%a: f32, %unused: i1):
    %r = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %r : i1
  }
  func.return
}

// A transposed operand is read along its own rows, four elements of eight of them at a time:
// rows four apart lie side by side, then two rounds of shuffles turn them over. Sixteen
// rows, a line of the result, go together.
// CHECK-LABEL: @transpose
// CHECK:       scf.for %[[I:.*]] =
// CHECK-COUNT-8:   vector.load %x[%{{.*}}, %[[I]]] : memref<24x16xf32>, vector<4xf32>
// CHECK:           vector.shuffle %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
// CHECK-COUNT-3:   vector.shuffle %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK:           vector.shuffle %{{.*}} [0, 8, 1, 9, 4, 12, 5, 13] : vector<8xf32>, vector<8xf32>
// CHECK:           vector.shuffle %{{.*}} [2, 10, 3, 11, 6, 14, 7, 15] : vector<8xf32>, vector<8xf32>
// CHECK-COUNT-6:   vector.shuffle
// CHECK-COUNT-8:   vector.load %x
// CHECK-NOT:       simd.gather
// CHECK-COUNT-16:  vector.store %{{.*}}, %y
func.func private @transpose(%x: memref<24x16xf32>, %y: memref<16x24xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.transpose"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<24x16xf32>) outs(%y : memref<16x24xf32>) {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %a : f32
  }
  func.return
}

// Five rows of a ragged width: what is behind the last row is not read, what is behind
// the width not written.
// CHECK-LABEL: @transpose_few
// CHECK:       scf.for
// CHECK-COUNT-10: vector.load %x[%{{.*}}, %{{.*}}] : memref<5x21xf32>, vector<4xf32>
// CHECK-COUNT-8: vector.maskedstore
// CHECK-COUNT-5: vector.load %x[%{{.*}}, %{{.*}}] : memref<5x21xf32>, vector<4xf32>
// CHECK-COUNT-5: vector.maskedload %x
// CHECK-COUNT-5: vector.maskedstore
// CHECK-NOT:   vector.maskedstore
// CHECK:       func.return
func.func private @transpose_few(%x: memref<5x21xf32>, %y: memref<21x5xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.transpose"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<5x21xf32>) outs(%y : memref<21x5xf32>) {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %a : f32
  }
  func.return
}

// Channels in the other order: pixels are read whole, picked apart, each channel a vector,
// put together and stored whole; of 48 pixels the last 16 behind a mask.
// CHECK-LABEL: @swap_channels
// CHECK:       plan.view %x : memref<4x12x3xi8> -> memref<48x3xi8>
// CHECK:       %[[PIXELS:.*]] = vector.load %{{.*}} : memref<48x3xi8>, vector<96xi8>
// CHECK-NEXT:  %[[C2:.*]] = vector.shuffle %[[PIXELS]], %[[PIXELS]] [2, 5, 8, 11, {{.*}}] : vector<96xi8>, vector<96xi8>
// CHECK-NEXT:  %[[C1:.*]] = vector.shuffle %[[PIXELS]], %[[PIXELS]] [1, 4, 7, 10, {{.*}}] : vector<96xi8>, vector<96xi8>
// CHECK-NEXT:  %[[C0:.*]] = vector.shuffle %[[PIXELS]], %[[PIXELS]] [0, 3, 6, 9, {{.*}}] : vector<96xi8>, vector<96xi8>
// CHECK-NEXT:  %[[TWO:.*]] = vector.shuffle %[[C2]], %[[C1]] [0, 1, 2, {{.*}}] : vector<32xi8>, vector<32xi8>
// CHECK-NEXT:  %[[NEW:.*]] = vector.shuffle %[[TWO]], %[[C0]] [0, 32, 64, 1, 33, 65, {{.*}}] : vector<64xi8>, vector<32xi8>
// CHECK-NEXT:  vector.store %[[NEW]], %{{.*}} : memref<48x3xi8>, vector<96xi8>
// CHECK:       vector.maskedload
// CHECK:       vector.maskedstore
// CHECK-NOT:   simd.gather
func.func private @swap_channels(%x: memref<4x12x3xi8>, %y: memref<4x12x3xi8>) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.slice"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } outs(%y : memref<4x12x3xi8>) {
  ^bb0(%unused: i8):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %back = arith.constant -1 : index
    %two = arith.constant 2 : index
    %minus = arith.muli %k, %back : index
    %channel = arith.addi %minus, %two : index
    %a = memref.load %x[%i, %j, %channel] : memref<4x12x3xi8>
    linalg.yield %a : i8
  }
  func.return
}

// Two planes as the numbers of a pixel: each is read as it lies.
// CHECK-LABEL: @stack_planes
// CHECK:       vector.load %x{{.*}} : memref<64xf32>, vector<8xf32>
// CHECK-NEXT:  vector.load %b{{.*}} : memref<64xf32>, vector<8xf32>
// CHECK-NEXT:  vector.shuffle {{.*}} [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]
// CHECK-NEXT:  vector.store {{.*}} : memref<64x2xf32>, vector<16xf32>
func.func private @stack_planes(%x: memref<64xf32>, %b: memref<64xf32>, %y: memref<64x2xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.concat"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i, k) -> (i, k)>],
    iterator_types = ["parallel", "parallel"]
  } outs(%y : memref<64x2xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 1 : index
    %one = arith.constant 1 : index
    %first = memref.load %x[%i] : memref<64xf32>
    %second = memref.load %b[%i] : memref<64xf32>
    %is_second = arith.cmpi sge, %k, %one : index
    %chosen = arith.select %is_second, %second, %first : f32
    linalg.yield %chosen : f32
  }
  func.return
}

// Read backwards: one vector, turned over.
// CHECK-LABEL: @backwards
// CHECK:       %[[LINE:.*]] = vector.load %x[%{{.*}}] : memref<64xf32>, vector<8xf32>
// CHECK-NEXT:  vector.shuffle %[[LINE]], %[[LINE]] [7, 6, 5, 4, 3, 2, 1, 0]
// CHECK-NOT:   simd.gather
func.func private @backwards(%x: memref<64xf32>, %y: memref<64xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.slice"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i * -1 + 63)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %a : f32
  }
  func.return
}

// Functions are long chains of operations: four registers at once keep a processor busy.
// CHECK-LABEL: @error_function
// CHECK:       vector.load %{{.*}} : memref<64xf32>, vector<32xf32>
// CHECK:       math.erf %{{.*}} : vector<32xf32>
func.func private @error_function(%x: memref<64xf32>, %y: memref<64xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.erf"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %e = math.erf %a : f32
    %r = arith.mulf %e, %a : f32
    linalg.yield %r : f32
  }
  func.return
}

// Of what another op overwrites only the border is filled: two whole lines, then one pixel
// of three numbers at both ends of the four lines between.
// CHECK-LABEL: @border
// CHECK:       plan.view %y : memref<6x10x3xf32> -> memref<180xf32>
// CHECK:       vector.store
// CHECK:       scf.for
// CHECK:         vector.maskedstore
// CHECK-NOT:   linalg.fill
func.func private @border(%v: f32, %y: memref<6x10x3xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.pad"]>} {
  linalg.fill {kernel.inside = [[#builtin.int<1>, #builtin.int<4>], [#builtin.int<1>, #builtin.int<8>], [#builtin.int<0>, #builtin.int<3>]]} ins(%v : f32) outs(%y : memref<6x10x3xf32>)
  func.return
}

// Reductions are another schedule's.
// CHECK-LABEL: @sum
// CHECK:       linalg.generic
func.func private @sum(%x: memref<16xf32>, %y: memref<f32>) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
    iterator_types = ["reduction"]
  } ins(%x : memref<16xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %s: f32):
    %r = arith.addf %s, %a : f32
    linalg.yield %r : f32
  }
  func.return
}

}
