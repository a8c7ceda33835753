// RUN: devproc-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: 'llvm_ext.select' by vector<4xi1> cannot choose between f32
llvm.func @f(%m: vector<4xi1>, %x: f32) {
  %0 = llvm_ext.select %m, %x, %x : vector<4xi1>, f32
  llvm.return
}

// -----

// CHECK: 'llvm_ext.fcmp' of vector<4xf32> cannot give i1
llvm.func @f(%x: vector<4xf32>) {
  %0 = "llvm_ext.fcmp"(%x, %x) <{predicate = 1 : i64}>
    : (vector<4xf32>, vector<4xf32>) -> i1
  llvm.return
}

// -----

// CHECK: 'llvm_ext.getelementptr' cannot index into f32
llvm.func @f(%p: !llvm.ptr) {
  %0 = llvm_ext.getelementptr %p[0, 1] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.return
}

// -----

// CHECK: 'llvm_ext.getelementptr' field 3 of a struct of 1; a field must be a constant in range
llvm.func @f(%p: !llvm.ptr) {
  %0 = llvm_ext.getelementptr %p[0, 3] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(f32)>
  llvm.return
}
