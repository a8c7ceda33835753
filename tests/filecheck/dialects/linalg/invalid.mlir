// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: linalg.sort writes elements and i64 places, and has room for both again
func.func @room(%x: memref<7xf32>, %v: memref<7xf32>, %i: memref<7xi64>) {
  linalg.sort %x into %v, %i {
  ^bb0(%a: f32, %b: f32):
    %before = arith.cmpf olt, %a, %b : f32
    linalg.yield %before : i1
  } : (memref<7xf32>, memref<7xf32>, memref<7xi64>) -> ()
  func.return
}

// -----

// CHECK: linalg.sort writes elements and i64 places, and has room for both again
func.func @places(%x: memref<7xf32>, %v: memref<3xf32>, %i: memref<2xi64>) {
  linalg.sort %x into %v, %i {
  ^bb0(%a: f32, %b: f32):
    %before = arith.cmpf olt, %a, %b : f32
    linalg.yield %before : i1
  } : (memref<7xf32>, memref<3xf32>, memref<2xi64>) -> ()
  func.return
}

// -----

// CHECK: the region of linalg.sort must yield one i1
func.func @region(%x: memref<7xf32>, %v: memref<7xf32>, %i: memref<7xi64>, %v2: memref<7xf32>, %i2: memref<7xi64>) {
  linalg.sort %x into %v, %i, %v2, %i2 {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } : (memref<7xf32>, memref<7xf32>, memref<7xi64>, memref<7xf32>, memref<7xi64>) -> ()
  func.return
}

// -----

// CHECK: linalg.scatter needs an integer index and an axis
func.func @index(%u: memref<2xf32>, %i: memref<2xf32>, %t: memref<9xf32>) {
  linalg.scatter %u at %i into %t axis 0 {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  } : (memref<2xf32>, memref<2xf32>, memref<9xf32>) -> ()
  func.return
}

// -----

// CHECK: updates and index must broadcast to the target
func.func @shapes(%u: memref<2x3xf32>, %i: memref<2x1xi64>, %t: memref<9x4xf32>) {
  linalg.scatter %u at %i into %t axis 0 {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  } : (memref<2x3xf32>, memref<2x1xi64>, memref<9x4xf32>) -> ()
  func.return
}

// -----

// CHECK: linalg.scatter has a result for each tensor that it writes
func.func @result(%u: tensor<2xf32>, %i: tensor<2xi64>, %t: tensor<9xf32>) {
  linalg.scatter %u at %i into %t axis 0 {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  } : (tensor<2xf32>, tensor<2xi64>, tensor<9xf32>) -> ()
  func.return
}

// -----

// CHECK: linalg.nms writes places and counts, and has room for all candidates and for the kept boxes
func.func @candidates(%b: memref<2x9x1x4xf32>, %s: memref<2x27xf32>, %i: memref<2x8xi64>, %n: memref<2xi64>, %keys: memref<2x9xi64>, %kept: memref<2x5x16xf32>, %k: memref<2x16xi64>) {
  linalg.nms %b, %s into %i, %n, %keys, %kept, %k overlap 5.000000e-01 : f32 score 0.000000e+00 : f32 agnostic 0 : (memref<2x9x1x4xf32>, memref<2x27xf32>, memref<2x8xi64>, memref<2xi64>, memref<2x9xi64>, memref<2x5x16xf32>, memref<2x16xi64>) -> ()
  func.return
}
