// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

func.func @ops(%x: memref<8x8xf32>, %i: index) {
  %f = arith.constant dense<1.0> : vector<16xf32>
  %n = arith.constant dense<1> : vector<16xi32>
  %h = arith.constant dense<1.0> : vector<16xf16>

  // CHECK: [[M:%.*]] = simd.cmpf olt, %f, %f : vector<16xf32> -> vector<16xi1>
  %m = simd.cmpf olt, %f, %f : vector<16xf32> -> vector<16xi1>
  // CHECK: simd.cmpi uge, %n, %n : vector<16xi32> -> vector<16xi1>
  %k = simd.cmpi uge, %n, %n : vector<16xi32> -> vector<16xi1>
  // CHECK: simd.select [[M]], %f, %f : vector<16xi1>, vector<16xf32>
  %s = simd.select %m, %f, %f : vector<16xi1>, vector<16xf32>
  // CHECK: simd.ldexp %f, %n : vector<16xf32>, vector<16xi32>
  %e = simd.ldexp %f, %n : vector<16xf32>, vector<16xi32>
  // CHECK: simd.step : vector<16xindex>
  %t = simd.step : vector<16xindex>
  // CHECK: simd.gather %x[%i, %i] [%n], [[M]], %f : memref<8x8xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32>
  %g = simd.gather %x[%i, %i] [%n], %m, %f
    : memref<8x8xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32>
  // CHECK: simd.prefetch %x[%i, %i] : memref<8x8xf32>
  simd.prefetch %x[%i, %i] : memref<8x8xf32>

  // CHECK: simd.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%f, %{{.*}}, %{{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
  %pairs = vector.bitcast %n : vector<16xi32> to vector<32xbf16>
  %d = simd.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%f, %pairs, %pairs)
    : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>

  // CHECK: simd.extsi %n : vector<16xi32> to vector<16xi64>
  %c0 = simd.extsi %n : vector<16xi32> to vector<16xi64>
  // CHECK: simd.extui [[M]] : vector<16xi1> to vector<16xi8>
  %c1 = simd.extui %m : vector<16xi1> to vector<16xi8>
  // CHECK: simd.trunci %n : vector<16xi32> to vector<16xi8>
  %c2 = simd.trunci %n : vector<16xi32> to vector<16xi8>
  // CHECK: simd.index_cast %n : vector<16xi32> to vector<16xindex>
  %c3 = simd.index_cast %n : vector<16xi32> to vector<16xindex>
  // CHECK: simd.sitofp %n : vector<16xi32> to vector<16xf32>
  %c4 = simd.sitofp %n : vector<16xi32> to vector<16xf32>
  // CHECK: simd.uitofp %n : vector<16xi32> to vector<16xf16>
  %c5 = simd.uitofp %n : vector<16xi32> to vector<16xf16>
  // CHECK: simd.fptosi %h : vector<16xf16> to vector<16xi8>
  %c6 = simd.fptosi %h : vector<16xf16> to vector<16xi8>
  // CHECK: simd.fptoui %f : vector<16xf32> to vector<16xi8>
  %c7 = simd.fptoui %f : vector<16xf32> to vector<16xi8>
  func.return
}
