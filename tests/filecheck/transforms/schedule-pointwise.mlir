// RUN: devproc-opt %s -p schedule-pointwise | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 256, threads = 2, precision = "default", arch = "sm_90", interpret = false>} {

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

// A transposed operand is read along its own rows, eight lines of eight at a time, which
// three rounds of shuffles turn over.
// CHECK-LABEL: @transpose
// CHECK:       scf.for %[[J:.*]] =
// CHECK:         scf.for %[[I:.*]] =
// CHECK-COUNT-8:   vector.load %x[%{{.*}}, %[[I]]] : memref<24x16xf32>, vector<8xf32>
// CHECK-COUNT-24:  vector.shuffle
// CHECK-NOT:       simd.gather
// CHECK:           vector.store %{{.*}}, %y[%[[I]], %[[J]]]
// CHECK-COUNT-7:   vector.store %{{.*}}, %y[%{{.*}}, %[[J]]]
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

// Three rows of a ragged width: what is behind the last row is not read, what is behind
// the width not written.
// CHECK-LABEL: @transpose_few
// CHECK:       scf.for
// CHECK-COUNT-3: vector.load %x[%{{.*}}, %{{.*}}] : memref<3x21xf32>, vector<8xf32>
// CHECK-COUNT-8: vector.maskedstore
// CHECK-COUNT-3: vector.maskedload %x
// CHECK-COUNT-5: vector.maskedstore
// CHECK-NOT:   vector.maskedstore
// CHECK:       func.return
func.func private @transpose_few(%x: memref<3x21xf32>, %y: memref<21x3xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.transpose"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<3x21xf32>) outs(%y : memref<21x3xf32>) {
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
