// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// What xDSL lacks in its `llvm` dialect.
llvm.func @ops(%f: vector<4xf32>, %n: vector<4xi32>, %m: vector<4xi1>, %p: !llvm.ptr,
               %i: i64, %x: f32) {
  // CHECK: llvm_ext.uitofp %n : vector<4xi32> to vector<4xf32>
  %0 = llvm_ext.uitofp %n : vector<4xi32> to vector<4xf32>
  // CHECK: llvm_ext.fptosi %f : vector<4xf32> to vector<4xi32>
  %1 = llvm_ext.fptosi %f : vector<4xf32> to vector<4xi32>
  // CHECK: llvm_ext.fptoui %x : f32 to i8
  %2 = llvm_ext.fptoui %x : f32 to i8
  // CHECK: llvm_ext.mlir.poison : vector<4xf32>
  %3 = llvm_ext.mlir.poison : vector<4xf32>
  // CHECK: llvm_ext.extractelement %f[%i : i64] : vector<4xf32>
  %4 = llvm_ext.extractelement %f[%i : i64] : vector<4xf32>
  // CHECK: llvm_ext.fcmp "olt" %f, %f : vector<4xf32>
  %5 = llvm_ext.fcmp "olt" %f, %f : vector<4xf32>
  // CHECK: llvm_ext.fcmp "uno" %x, %x {fastmathFlags = #llvm.fastmath<nsz>} : f32
  %6 = llvm_ext.fcmp "uno" %x, %x {fastmathFlags = #llvm.fastmath<nsz>} : f32
  // CHECK: llvm_ext.select %m, %f, %f : vector<4xi1>, vector<4xf32>
  %7 = llvm_ext.select %m, %f, %f : vector<4xi1>, vector<4xf32>
  // CHECK: llvm_ext.getelementptr %p[%n] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, f32
  %8 = llvm_ext.getelementptr %p[%n] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, f32
  // CHECK: llvm_ext.getelementptr inbounds %p[%i, 2] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
  %9 = llvm_ext.getelementptr inbounds %p[%i, 2]
    : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
  // CHECK: llvm_ext.intr.maximum(%f, %f) {fastmathFlags = #llvm.fastmath<nnan>} : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %10 = llvm_ext.intr.maximum(%f, %f) {fastmathFlags = #llvm.fastmath<nnan>}
    : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  // CHECK: llvm_ext.intr.roundeven(%x) : (f32) -> f32
  %11 = llvm_ext.intr.roundeven(%x) : (f32) -> f32
  // CHECK: llvm_ext.intr.umin(%n, %n) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  %12 = llvm_ext.intr.umin(%n, %n) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  // CHECK: llvm_ext.intr.abs(%i) {is_int_min_poison = false} : (i64) -> i64
  %13 = llvm_ext.intr.abs(%i) {is_int_min_poison = false} : (i64) -> i64
  // CHECK: llvm_ext.intr.vector.reduce.smax(%n) : (vector<4xi32>) -> i32
  %15 = llvm_ext.intr.vector.reduce.smax(%n) : (vector<4xi32>) -> i32
  // CHECK: llvm_ext.intr.masked.load %p, %m, %f {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %16 = llvm_ext.intr.masked.load %p, %m, %f {alignment = 4 : i32}
    : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  // CHECK: llvm_ext.intr.masked.store %n, %p, %m {alignment = 4 : i32} : vector<4xi32>, vector<4xi1> into !llvm.ptr
  llvm_ext.intr.masked.store %n, %p, %m {alignment = 4 : i32}
    : vector<4xi32>, vector<4xi1> into !llvm.ptr
  // CHECK: llvm_ext.intr.masked.gather %{{.*}}, %m, %f {alignment = 4 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %17 = llvm_ext.intr.masked.gather %8, %m, %f {alignment = 4 : i32}
    : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  // CHECK: "llvm_ext.intr.memcpy"(%p, %p, %i) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  "llvm_ext.intr.memcpy"(%p, %p, %i) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}
