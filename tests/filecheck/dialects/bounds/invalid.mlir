// RUN: devproc-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: 'bounds.inside' needs 2 indices for memref<4x8xf32>, got 1
func.func @indices(%x: memref<4x8xf32>, %i: index) {
  %a = bounds.inside %x[%i] lanes 1 access 0 op "memref.load" : memref<4x8xf32>
  func.return
}

// -----

// CHECK: 'bounds.inside' needs a dense memref, got memref<?xf32>
func.func @dynamic(%x: memref<?xf32>, %i: index) {
  %a = bounds.inside %x[%i] lanes 1 access 0 op "memref.load" : memref<?xf32>
  func.return
}

// -----

// CHECK: 'bounds.inside' needs a dense memref
func.func @strided(%x: memref<4xf32, strided<[2], offset: 0>>, %i: index) {
  %a = bounds.inside %x[%i] lanes 1 access 0 op "memref.load"
    : memref<4xf32, strided<[2], offset: 0>>
  func.return
}

// -----

// CHECK: 'bounds.inside_lanes' needs one-dimensional vectors of equal length, got vector<4xi32>, vector<8xi1>
func.func @lanes(%x: memref<8xf32>, %i: index, %n: vector<4xi32>, %m: vector<8xi1>) {
  %a = bounds.inside_lanes %x[%i] [%n], %m access 0 op "simd.gather"
    : memref<8xf32>, vector<4xi32>, vector<8xi1>
  func.return
}
