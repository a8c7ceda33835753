// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// What llvm_extra adds to xDSL's dialect, or replaces in it.
llvm.func @ops(%f: vector<4xf32>, %n: vector<4xi32>, %m: vector<4xi1>, %p: !llvm.ptr,
               %i: i64, %x: f32) {
  // CHECK: llvm.uitofp %n : vector<4xi32> to vector<4xf32>
  %0 = llvm.uitofp %n : vector<4xi32> to vector<4xf32>
  // CHECK: llvm.fptosi %f : vector<4xf32> to vector<4xi32>
  %1 = llvm.fptosi %f : vector<4xf32> to vector<4xi32>
  // CHECK: llvm.fptoui %x : f32 to i8
  %2 = llvm.fptoui %x : f32 to i8
  // CHECK: llvm.mlir.poison : vector<4xf32>
  %3 = llvm.mlir.poison : vector<4xf32>
  // CHECK: llvm.extractelement %f[%i : i64] : vector<4xf32>
  %4 = llvm.extractelement %f[%i : i64] : vector<4xf32>
  // CHECK: llvm.fcmp "olt" %f, %f : vector<4xf32>
  %5 = llvm.fcmp "olt" %f, %f : vector<4xf32>
  // CHECK: llvm.fcmp "uno" %x, %x {fastmathFlags = #llvm.fastmath<nsz>} : f32
  %6 = llvm.fcmp "uno" %x, %x {fastmathFlags = #llvm.fastmath<nsz>} : f32
  // CHECK: llvm.select %m, %f, %f : vector<4xi1>, vector<4xf32>
  %7 = llvm.select %m, %f, %f : vector<4xi1>, vector<4xf32>
  // CHECK: llvm.getelementptr %p[%n] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, f32
  %8 = llvm.getelementptr %p[%n] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, f32
  // CHECK: llvm.getelementptr inbounds %p[%i, 2] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
  %9 = llvm.getelementptr inbounds %p[%i, 2]
    : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
  // CHECK: llvm.intr.maximum(%f, %f) {fastmathFlags = #llvm.fastmath<nnan>} : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %10 = llvm.intr.maximum(%f, %f) {fastmathFlags = #llvm.fastmath<nnan>}
    : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  // CHECK: llvm.intr.roundeven(%x) : (f32) -> f32
  %11 = llvm.intr.roundeven(%x) : (f32) -> f32
  // CHECK: llvm.intr.umin(%n, %n) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  %12 = llvm.intr.umin(%n, %n) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  // CHECK: llvm.intr.abs(%i) {is_int_min_poison = false} : (i64) -> i64
  %13 = llvm.intr.abs(%i) {is_int_min_poison = false} : (i64) -> i64
  // CHECK: llvm.intr.fptosi.sat(%x) : (f32) -> i8
  %14 = llvm.intr.fptosi.sat(%x) : (f32) -> i8
  // CHECK: llvm.intr.vector.reduce.smax(%n) : (vector<4xi32>) -> i32
  %15 = llvm.intr.vector.reduce.smax(%n) : (vector<4xi32>) -> i32
  // CHECK: llvm.intr.masked.load %p, %m, %f {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %16 = llvm.intr.masked.load %p, %m, %f {alignment = 4 : i32}
    : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  // CHECK: llvm.intr.masked.store %n, %p, %m {alignment = 4 : i32} : vector<4xi32>, vector<4xi1> into !llvm.ptr
  llvm.intr.masked.store %n, %p, %m {alignment = 4 : i32}
    : vector<4xi32>, vector<4xi1> into !llvm.ptr
  // CHECK: llvm.intr.masked.gather %{{.*}}, %m, %f {alignment = 4 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %17 = llvm.intr.masked.gather %8, %m, %f {alignment = 4 : i32}
    : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  // CHECK: "llvm.intr.memcpy"(%p, %p, %i) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  "llvm.intr.memcpy"(%p, %p, %i) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}
