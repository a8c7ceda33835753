// RUN: devproc-opt %s | devproc-opt | filecheck %s

// The intrinsics that differ in name alone.
llvm.func @intrinsics(%f: vector<4xf32>, %n: vector<4xi32>) {
  // CHECK: llvm_ext.intr.ctlz(%n) {is_zero_poison = false} : (vector<4xi32>) -> vector<4xi32>
  %0 = llvm_ext.intr.ctlz(%n) {is_zero_poison = false} : (vector<4xi32>) -> vector<4xi32>
  // CHECK: llvm_ext.intr.ctpop(%n) : (vector<4xi32>) -> vector<4xi32>
  %1 = llvm_ext.intr.ctpop(%n) : (vector<4xi32>) -> vector<4xi32>
  // CHECK: llvm_ext.intr.cttz(%n) {is_zero_poison = false} : (vector<4xi32>) -> vector<4xi32>
  %2 = llvm_ext.intr.cttz(%n) {is_zero_poison = false} : (vector<4xi32>) -> vector<4xi32>
  // CHECK: llvm_ext.intr.trunc(%f) : (vector<4xf32>) -> vector<4xf32>
  %3 = llvm_ext.intr.trunc(%f) : (vector<4xf32>) -> vector<4xf32>
  // CHECK: llvm_ext.intr.minimum(%f, %f) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %4 = llvm_ext.intr.minimum(%f, %f) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  // CHECK: llvm_ext.intr.round(%f) : (vector<4xf32>) -> vector<4xf32>
  %5 = llvm_ext.intr.round(%f) : (vector<4xf32>) -> vector<4xf32>
  // CHECK: llvm_ext.intr.smax(%n, %n) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  %6 = llvm_ext.intr.smax(%n, %n) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  // CHECK: llvm_ext.intr.smin(%n, %n) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  %7 = llvm_ext.intr.smin(%n, %n) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  // CHECK: llvm_ext.intr.umax(%n, %n) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  %8 = llvm_ext.intr.umax(%n, %n) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  // CHECK: llvm_ext.intr.vector.reduce.add(%n) : (vector<4xi32>) -> i32
  %9 = llvm_ext.intr.vector.reduce.add(%n) : (vector<4xi32>) -> i32
  // CHECK: llvm_ext.intr.vector.reduce.mul(%n) : (vector<4xi32>) -> i32
  %10 = llvm_ext.intr.vector.reduce.mul(%n) : (vector<4xi32>) -> i32
  // CHECK: llvm_ext.intr.vector.reduce.and(%n) : (vector<4xi32>) -> i32
  %11 = llvm_ext.intr.vector.reduce.and(%n) : (vector<4xi32>) -> i32
  // CHECK: llvm_ext.intr.vector.reduce.or(%n) : (vector<4xi32>) -> i32
  %12 = llvm_ext.intr.vector.reduce.or(%n) : (vector<4xi32>) -> i32
  // CHECK: llvm_ext.intr.vector.reduce.xor(%n) : (vector<4xi32>) -> i32
  %13 = llvm_ext.intr.vector.reduce.xor(%n) : (vector<4xi32>) -> i32
  // CHECK: llvm_ext.intr.vector.reduce.smin(%n) : (vector<4xi32>) -> i32
  %14 = llvm_ext.intr.vector.reduce.smin(%n) : (vector<4xi32>) -> i32
  // CHECK: llvm_ext.intr.vector.reduce.umax(%n) : (vector<4xi32>) -> i32
  %15 = llvm_ext.intr.vector.reduce.umax(%n) : (vector<4xi32>) -> i32
  // CHECK: llvm_ext.intr.vector.reduce.umin(%n) : (vector<4xi32>) -> i32
  %16 = llvm_ext.intr.vector.reduce.umin(%n) : (vector<4xi32>) -> i32
  // CHECK: llvm_ext.intr.vector.reduce.fmax(%f) : (vector<4xf32>) -> f32
  %17 = llvm_ext.intr.vector.reduce.fmax(%f) : (vector<4xf32>) -> f32
  // CHECK: llvm_ext.intr.vector.reduce.fmin(%f) : (vector<4xf32>) -> f32
  %18 = llvm_ext.intr.vector.reduce.fmin(%f) : (vector<4xf32>) -> f32
  // CHECK: llvm_ext.intr.vector.reduce.fmaximum(%f) : (vector<4xf32>) -> f32
  %19 = llvm_ext.intr.vector.reduce.fmaximum(%f) : (vector<4xf32>) -> f32
  // CHECK: llvm_ext.intr.vector.reduce.fminimum(%f) : (vector<4xf32>) -> f32
  %20 = llvm_ext.intr.vector.reduce.fminimum(%f) : (vector<4xf32>) -> f32
  llvm.return
}
