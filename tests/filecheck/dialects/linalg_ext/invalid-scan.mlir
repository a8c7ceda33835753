// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: linalg_ext.scan writes an element, and optionally an i64 index
func.func @shape(%x: memref<7xf32>, %y: memref<6xf32>) {
  linalg_ext.scan %x into %y axis 0 start [0.000000e+00 : f32] {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %b : f32
  } : (memref<7xf32>, memref<6xf32>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.scan writes an element, and optionally an i64 index
func.func @places(%x: memref<7xf32>, %y: memref<7xf32>, %i: memref<7xi32>) {
  linalg_ext.scan %x into %y, %i axis 0 start [0.000000e+00 : f32, 0 : i32] {
  ^bb0(%a: f32, %p: i32, %b: f32, %q: i32):
    linalg.yield %b, %q : f32, i32
  } : (memref<7xf32>, memref<7xf32>, memref<7xi32>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.scan needs an axis, got 1 of 1
func.func @axis(%x: memref<7xf32>, %y: memref<7xf32>) {
  linalg_ext.scan %x into %y axis 1 start [0.000000e+00 : f32] {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %b : f32
  } : (memref<7xf32>, memref<7xf32>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.scan starts with a number for each target, of its type or wider
func.func @narrower(%x: memref<7xf32>, %y: memref<7xf32>) {
  linalg_ext.scan %x into %y axis 0 start [0.000000e+00 : f16] {
  ^bb0(%a: f16, %b: f16):
    linalg.yield %b : f16
  } : (memref<7xf32>, memref<7xf32>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.scan starts with a number for each target, of its type or wider
func.func @wider_integer(%x: memref<7xi32>, %y: memref<7xi32>) {
  linalg_ext.scan %x into %y axis 0 start [0 : i64] {
  ^bb0(%a: i64, %b: i64):
    linalg.yield %b : i64
  } : (memref<7xi32>, memref<7xi32>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.scan starts with a number for each target, of its type or wider
func.func @starts(%x: memref<7xf32>, %y: memref<7xf32>, %i: memref<7xi64>) {
  linalg_ext.scan %x into %y, %i axis 0 start [0.000000e+00 : f32] {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %b : f32
  } : (memref<7xf32>, memref<7xf32>, memref<7xi64>) -> ()
  func.return
}

// -----

// CHECK: the region of linalg_ext.scan takes what came before and what is there, and yields one f32 and one i64
func.func @region(%x: memref<7xf32>, %y: memref<7xf32>, %i: memref<7xi64>) {
  linalg_ext.scan %x into %y, %i axis 0 start [0.000000e+00 : f32, 0 : i64] {
  ^bb0(%a: f32, %p: i64, %b: f32, %q: i64):
    linalg.yield %b : f32
  } : (memref<7xf32>, memref<7xf32>, memref<7xi64>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.scan has a result for each tensor that it writes
func.func @result(%x: tensor<7xf32>, %y: tensor<7xf32>) {
  linalg_ext.scan %x into %y axis 0 start [0.000000e+00 : f32] {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %b : f32
  } : (tensor<7xf32>, tensor<7xf32>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.scan_totals needs totals of the shape [2, 2], one of each number's type
func.func @totals(%x: memref<2x5xf32>, %t: memref<2x3xf64>) {
  linalg_ext.scan_totals %x into %t axis 1 size 2 start [0.000000e+00 : f64] {
  ^bb0(%a: f64, %b: f64):
    linalg.yield %b : f64
  } : (memref<2x5xf32>, memref<2x3xf64>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.scan_parts needs an axis of more than one part
func.func @one_part(%x: memref<2x5xf32>, %t: memref<2x1xf64>, %y: memref<2x5xf32>) {
  linalg_ext.scan_parts %x : memref<2x5xf32> after %t : memref<2x1xf64> into %y : memref<2x5xf32> axis 1 size 5 start [0.000000e+00 : f64] {
  ^bb0(%a: f64, %b: f64):
    linalg.yield %b : f64
  }
  func.return
}
