// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

func.func @ops(%x: memref<4x8xf32>, %i: index, %n: vector<16xi32>, %m: vector<16xi1>) {
  // CHECK: bounds.inside %x[%i, %i] lanes 16 access 3 op "vector.load" : memref<4x8xf32>
  %a = bounds.inside %x[%i, %i] lanes 16 access 3 op "vector.load" : memref<4x8xf32>
  // CHECK: bounds.inside_lanes %x[%i, %i] [%n], %m access 4 op "simd.gather" : memref<4x8xf32>, vector<16xi32>, vector<16xi1>
  %b = bounds.inside_lanes %x[%i, %i] [%n], %m access 4 op "simd.gather"
    : memref<4x8xf32>, vector<16xi32>, vector<16xi1>
  func.return
}
