// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// On memory there is no result; on tensors one for each target.
func.func @sums(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK:      %r = linalg_ext.scan %x into %y axis 1 start [0.000000e+00 : f64] {
  // CHECK-NEXT: ^bb0(%before: f64, %here: f64):
  // CHECK-NEXT:   %sum = arith.addf %before, %here : f64
  // CHECK-NEXT:   linalg.yield %sum : f64
  // CHECK-NEXT: } : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %r = linalg_ext.scan %x into %y axis 1 start [0.000000e+00 : f64] {
  ^bb0(%before: f64, %here: f64):
    %sum = arith.addf %before, %here : f64
    linalg.yield %sum : f64
  } : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %r : tensor<2x4xf32>
}

// The second target gets places.
func.func @largest(%x: memref<2x4xi32>, %v: memref<2x4xi32>, %i: memref<2x4xi64>) {
  // CHECK:      linalg_ext.scan %x into %v, %i axis 0 start [-2147483648 : i32, 0 : i64] {
  // CHECK-NEXT: ^bb0(%a: i32, %p: i64, %b: i32, %q: i64):
  // CHECK:      } : (memref<2x4xi32>, memref<2x4xi32>, memref<2x4xi64>) -> ()
  linalg_ext.scan %x into %v, %i axis 0 start [-2147483648 : i32, 0 : i64] {
  ^bb0(%a: i32, %p: i64, %b: i32, %q: i64):
    %later = arith.cmpi sge, %b, %a : i32
    %value = arith.select %later, %b, %a : i32
    %place = arith.select %later, %q, %p : i64
    linalg.yield %value, %place : i32, i64
  } : (memref<2x4xi32>, memref<2x4xi32>, memref<2x4xi64>) -> ()
  func.return
}

// Parts of two elements; the last one has no total.
func.func @parts(%x: memref<2x5xf32>, %t: memref<2x2xf64>, %y: memref<2x5xf32>) {
  // CHECK:      linalg_ext.scan_totals %x into %t axis 1 size 2 start [0.000000e+00 : f64] {
  // CHECK:      } : (memref<2x5xf32>, memref<2x2xf64>) -> ()
  linalg_ext.scan_totals %x into %t axis 1 size 2 start [0.000000e+00 : f64] {
  ^bb0(%before: f64, %here: f64):
    %sum = arith.addf %before, %here : f64
    linalg.yield %sum : f64
  } : (memref<2x5xf32>, memref<2x2xf64>) -> ()
  // CHECK-NEXT: linalg_ext.scan_parts %x : memref<2x5xf32> after %t : memref<2x2xf64> into %y : memref<2x5xf32> axis 1 size 2 start [0.000000e+00 : f64] {
  linalg_ext.scan_parts %x : memref<2x5xf32> after %t : memref<2x2xf64> into %y : memref<2x5xf32> axis 1 size 2 start [0.000000e+00 : f64] {
  ^bb0(%before: f64, %here: f64):
    %sum = arith.addf %before, %here : f64
    linalg.yield %sum : f64
  }
  func.return
}
