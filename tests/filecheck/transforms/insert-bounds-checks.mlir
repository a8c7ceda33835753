// RUN: devproc-opt %s --check-bounds -p insert-bounds-checks --split-input-file | filecheck %s
// RUN: devproc-opt %s -p insert-bounds-checks --split-input-file | filecheck %s --check-prefix=OFF

// Without the option nothing changes.
// OFF-NOT: bounds.

// The branch holds the access; a load that does not happen gives 0.
// CHECK-LABEL: @vectors
// CHECK:       [[IN:%.*]] = bounds.inside %x[%i, %j] lanes 16 access 0 op "vector.load" : memref<4x8xf32>
// CHECK-NEXT:  [[V:%.*]] = scf.if [[IN]] -> (vector<16xf32>) {
// CHECK-NEXT:    vector.load
// CHECK-NEXT:    scf.yield
// CHECK-NEXT:  } else {
// CHECK-NEXT:    arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-NEXT:    scf.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  [[OUT:%.*]] = bounds.inside %x[%j, %i] lanes 16 access 1 op "vector.store"
// CHECK-NEXT:  scf.if [[OUT]] {
// CHECK-NEXT:    vector.store [[V]]
// CHECK-NEXT:  }
func.func private @vectors(%x: memref<4x8xf32>, %i: index, %j: index) attributes {
    dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
  %v = vector.load %x[%i, %j] : memref<4x8xf32>, vector<16xf32>
  vector.store %v, %x[%j, %i] : memref<4x8xf32>, vector<16xf32>
  func.return
}

// -----

// A constant mask of the first lanes is a shorter vector, and stays constant. One of no
// lane touches nothing; a prefetch neither.
// CHECK-LABEL: @masks
// CHECK:       bounds.inside %x[%i] lanes 3 access 0 op "vector.maskedload"
// CHECK:         vector.maskedload %x[%i], %three, %v
// CHECK-NOT:   bounds.
// CHECK:       vector.maskedload %x[%i], %none, %v
// CHECK-NOT:   bounds.
// CHECK:       simd.prefetch
// CHECK-NEXT:  [[STEP:%.*]] = simd.step : vector<4xindex>
// CHECK-NEXT:  [[SOME:%.*]] = bounds.inside_lanes %x[%i] {{\[}}[[STEP]]], %odd access 1 op "vector.maskedstore"
// CHECK-NEXT:  vector.maskedstore %x[%i], [[SOME]], %v
// CHECK-NEXT:  [[LANES:%.*]] = bounds.inside_lanes %x[%i] [%at], %m access 2 op "simd.gather"
// CHECK-NEXT:  simd.gather %x[%i] [%at], [[LANES]], %v
func.func private @masks(
    %x: memref<9xf32>, %i: index, %v: vector<4xf32>, %at: vector<4xi32>, %m: vector<4xi1>
) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
  %three = arith.constant dense<[1, 1, 1, 0]> : vector<4xi1>
  %none = arith.constant dense<0> : vector<4xi1>
  %odd = arith.constant dense<[0, 1, 0, 1]> : vector<4xi1>
  %a = vector.maskedload %x[%i], %three, %v
    : memref<9xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %b = vector.maskedload %x[%i], %none, %v
    : memref<9xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  simd.prefetch %x[%i] : memref<9xf32>
  vector.maskedstore %x[%i], %odd, %v : memref<9xf32>, vector<4xi1>, vector<4xf32>
  %c = simd.gather %x[%i] [%at], %m, %v
    : memref<9xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  func.return
}

// -----

// Functions that are no kernels of the CPU stay.
// CHECK-LABEL: @other
// CHECK-NOT:   bounds.
// CHECK:       memref.load
func.func private @other(%x: memref<9xf32>, %i: index) {
  %a = memref.load %x[%i] : memref<9xf32>
  func.return
}
