// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// On memory there is no result; on tensors one for each target.
func.func @sort(%x: memref<2x700xi32>, %i: memref<2x700xi64>, %room: memref<2x2x700xi64>) {
  // CHECK: linalg_ext.sort %x into %i, %room : (memref<2x700xi32>, memref<2x700xi64>, memref<2x2x700xi64>) -> ()
  linalg_ext.sort %x into %i, %room : (memref<2x700xi32>, memref<2x700xi64>, memref<2x2x700xi64>) -> ()
  func.return
}

// Room is for long rows that are sorted whole.
func.func @first_three(%x: tensor<2x7xi64>, %i: tensor<2x3xi64>) -> tensor<2x3xi64> {
  // CHECK: %r = linalg_ext.sort %x into %i : (tensor<2x7xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %r = linalg_ext.sort %x into %i : (tensor<2x7xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  func.return %r : tensor<2x3xi64>
}

func.func @runs(%x: memref<2x700xi32>, %i: memref<2x700xi32>, %y: memref<2x12xi32>, %j: memref<2x12xi64>) {
  // CHECK: linalg_ext.sort_runs %x : memref<2x700xi32> into %i : memref<2x700xi32> run 256 first 256
  linalg_ext.sort_runs %x : memref<2x700xi32> into %i : memref<2x700xi32> run 256 first 256
  // CHECK-NEXT: linalg_ext.sort_runs %x : memref<2x700xi32> of %i : memref<2x700xi32> into %j : memref<2x12xi64>, %y : memref<2x12xi32> run 256 first 4
  linalg_ext.sort_runs %x : memref<2x700xi32> of %i : memref<2x700xi32> into %j : memref<2x12xi64>, %y : memref<2x12xi32> run 256 first 4
  // CHECK-NEXT: linalg_ext.merge_runs %x : memref<2x700xi32> of %i : memref<2x700xi32> into %j : memref<2x12xi64>, %y : memref<2x12xi32> run 128 ways 2 first 4
  linalg_ext.merge_runs %x : memref<2x700xi32> of %i : memref<2x700xi32> into %j : memref<2x12xi64>, %y : memref<2x12xi32> run 128 ways 2 first 4
  func.return
}

func.func @kth_value(%x: memref<2x700xi32>, %k: memref<2x3xi64>, %i: memref<2x3xi64>, %room: memref<2x44xi32>) {
  // CHECK: linalg_ext.kth_value %x at %k into %i, %room : (memref<2x700xi32>, memref<2x3xi64>, memref<2x3xi64>, memref<2x44xi32>) -> ()
  linalg_ext.kth_value %x at %k into %i, %room : (memref<2x700xi32>, memref<2x3xi64>, memref<2x3xi64>, memref<2x44xi32>) -> ()
  // CHECK-NEXT: linalg_ext.kth_value %x at %k into %i : (memref<2x700xi32>, memref<2x3xi64>, memref<2x3xi64>) -> ()
  linalg_ext.kth_value %x at %k into %i : (memref<2x700xi32>, memref<2x3xi64>, memref<2x3xi64>) -> ()
  func.return
}

func.func @first_places(%x: memref<2x7xi32>, %last: memref<2x1xi64>, %i: memref<2x5xi64>) {
  // CHECK: linalg_ext.first_places %x up_to %last into %i : (memref<2x7xi32>, memref<2x1xi64>, memref<2x5xi64>) -> ()
  linalg_ext.first_places %x up_to %last into %i : (memref<2x7xi32>, memref<2x1xi64>, memref<2x5xi64>) -> ()
  func.return
}

func.func @scatter(%u: tensor<2x4xf32>, %i: tensor<2x1xi64>, %t: tensor<9x4xf32>) -> tensor<9x4xf32> {
  // CHECK:      %r = linalg_ext.scatter %u at %i into %t axis 0 {
  // CHECK-NEXT: ^bb0(%new: f32, %old: f32):
  // CHECK-NEXT:   %sum = arith.addf %old, %new : f32
  // CHECK-NEXT:   linalg.yield %sum : f32
  // CHECK-NEXT: } : (tensor<2x4xf32>, tensor<2x1xi64>, tensor<9x4xf32>) -> tensor<9x4xf32>
  %r = linalg_ext.scatter %u at %i into %t axis 0 {
  ^bb0(%new: f32, %old: f32):
    %sum = arith.addf %old, %new : f32
    linalg.yield %sum : f32
  } : (tensor<2x4xf32>, tensor<2x1xi64>, tensor<9x4xf32>) -> tensor<9x4xf32>
  func.return %r : tensor<9x4xf32>
}

func.func @scatter_sorted(%u: memref<2x4xf32>, %x: memref<9x4xf32>, %i: memref<1x2xi32>, %p: memref<1x2xi64>, %t: memref<9x4xf32>) {
  // CHECK:      linalg_ext.scatter_sorted %u, %x at %i, %p into %t axis 0 {
  // CHECK-NEXT: ^bb0(%new: f32, %old: f32):
  // CHECK:      } : (memref<2x4xf32>, memref<9x4xf32>, memref<1x2xi32>, memref<1x2xi64>, memref<9x4xf32>) -> ()
  linalg_ext.scatter_sorted %u, %x at %i, %p into %t axis 0 {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  } : (memref<2x4xf32>, memref<9x4xf32>, memref<1x2xi32>, memref<1x2xi64>, memref<9x4xf32>) -> ()
  func.return
}

func.func @nms(%b: memref<2x9x1x4xf32>, %s: memref<2x27xf32>, %c: memref<2x27xi64>, %i: memref<2x8xi64>, %n: memref<2xi64>, %keys: memref<2x27xi64>, %kept: memref<2x5x16xf32>, %k: memref<2x16xi64>) {
  // CHECK:      linalg_ext.nms %b, %s into %i, %n, %keys, %kept, %k overlap 5.000000e-01 : f32 score -1.000000e+00 : f32 agnostic 0 : (memref<2x9x1x4xf32>, memref<2x27xf32>, memref<2x8xi64>, memref<2xi64>, memref<2x27xi64>, memref<2x5x16xf32>, memref<2x16xi64>) -> ()
  linalg_ext.nms %b, %s into %i, %n, %keys, %kept, %k overlap 5.000000e-01 : f32 score -1.000000e+00 : f32 agnostic 0 : (memref<2x9x1x4xf32>, memref<2x27xf32>, memref<2x8xi64>, memref<2xi64>, memref<2x27xi64>, memref<2x5x16xf32>, memref<2x16xi64>) -> ()
  // CHECK-NEXT: linalg_ext.nms %b, %s classes %c into %i, %n, %keys, %kept, %k overlap 5.000000e-01 : f32 score -1.000000e+00 : f32 agnostic 0 : (memref<2x9x1x4xf32>, memref<2x27xf32>, memref<2x27xi64>, memref<2x8xi64>, memref<2xi64>, memref<2x27xi64>, memref<2x5x16xf32>, memref<2x16xi64>) -> ()
  linalg_ext.nms %b, %s classes %c into %i, %n, %keys, %kept, %k overlap 5.000000e-01 : f32 score -1.000000e+00 : f32 agnostic 0 : (memref<2x9x1x4xf32>, memref<2x27xf32>, memref<2x27xi64>, memref<2x8xi64>, memref<2xi64>, memref<2x27xi64>, memref<2x5x16xf32>, memref<2x16xi64>) -> ()
  func.return
}
