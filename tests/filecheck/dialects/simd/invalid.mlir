// RUN: devproc-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: 'simd.cmpf' needs one-dimensional vectors of equal length, got vector<4xf32>, vector<8xi1>
%f = arith.constant dense<1.0> : vector<4xf32>
%m = simd.cmpf olt, %f, %f : vector<4xf32> -> vector<8xi1>

// -----

// CHECK: 'simd.cmpi' needs one-dimensional vectors of equal length, got vector<4x4xi32>
%n = arith.constant dense<1> : vector<4x4xi32>
%m = simd.cmpi eq, %n, %n : vector<4x4xi32> -> vector<4x4xi1>

// -----

// CHECK: 'simd.select' needs one-dimensional vectors of equal length
%m = arith.constant dense<1> : vector<8xi1>
%f = arith.constant dense<1.0> : vector<4xf32>
%s = simd.select %m, %f, %f : vector<8xi1>, vector<4xf32>

// -----

// CHECK: 'simd.step' cannot count to 511 in i8
%s = simd.step : vector<512xi8>

// -----

// CHECK: 'simd.extsi' cannot cast i32 to i32
%n = arith.constant dense<1> : vector<4xi32>
%c = simd.extsi %n : vector<4xi32> to vector<4xi32>

// -----

// CHECK: 'simd.trunci' cannot cast i8 to i32
%n = arith.constant dense<1> : vector<4xi8>
%c = simd.trunci %n : vector<4xi8> to vector<4xi32>

// -----

// CHECK: 'simd.sitofp' cannot cast f32 to f64
%n = arith.constant dense<1.0> : vector<4xf32>
%c = simd.sitofp %n : vector<4xf32> to vector<4xf64>

// -----

// CHECK: 'simd.fptoui' cannot cast f32 to index
%n = arith.constant dense<1.0> : vector<4xf32>
%c = simd.fptoui %n : vector<4xf32> to vector<4xindex>

// -----

// CHECK: 'simd.index_cast' cannot cast i32 to i64
%n = arith.constant dense<1> : vector<4xi32>
%c = simd.index_cast %n : vector<4xi32> to vector<4xi64>

// -----

// CHECK: 'simd.gather' needs 2 indices for memref<8x8xf32>, got 1
func.func @f(%x: memref<8x8xf32>, %i: index, %o: vector<4xi32>, %m: vector<4xi1>,
             %z: vector<4xf32>) {
  %g = simd.gather %x[%i] [%o], %m, %z
    : memref<8x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  func.return
}

// -----

// CHECK: 'simd.gather' gathers f16 from a memref of f32
func.func @f(%x: memref<8xf32>, %i: index, %o: vector<4xi32>, %m: vector<4xi1>,
             %z: vector<4xf16>) {
  %g = simd.gather %x[%i] [%o], %m, %z
    : memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf16>
  func.return
}

// -----

// CHECK: 'simd.prefetch' needs 2 indices for memref<8x8xf32>, got 1
func.func @one_index(%x: memref<8x8xf32>, %i: index) {
  simd.prefetch %x[%i] : memref<8x8xf32>
  func.return
}

// -----

// CHECK: 'simd.ldexp' of f64 needs powers as wide as that, got i32
func.func @narrow_powers(%x: vector<8xf64>, %n: vector<8xi32>) {
  %r = simd.ldexp %x, %n : vector<8xf64>, vector<8xi32>
  func.return
}

// -----

// CHECK: 'simd.ldexp'
func.func @other_lanes(%x: vector<8xf32>, %n: vector<16xi32>) {
  %r = simd.ldexp %x, %n : vector<8xf32>, vector<16xi32>
  func.return
}

// -----

// CHECK: 'simd.call_intrinsic' names an intrinsic 'llvm.*', not 'dpbf16ps'
func.func @no_intrinsic(%x: vector<8xf32>) {
  %r = simd.call_intrinsic "dpbf16ps"(%x) : (vector<8xf32>) -> vector<8xf32>
  func.return
}
