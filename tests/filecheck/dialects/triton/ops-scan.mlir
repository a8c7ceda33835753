// RUN: devproc-opt %s | devproc-opt | filecheck %s

// CHECK-LABEL: triton.func @scans
triton.func @scans(%x: tensor<4x64xf32>, %i: tensor<4x64xi64>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  // CHECK:      %r = triton.scan %x axis 1 {
  // CHECK-NEXT: ^bb0(%before: f32, %here: f32):
  // CHECK-NEXT:   %sum = arith.addf %before, %here : f32
  // CHECK-NEXT:   triton.yield %sum : f32
  // CHECK-NEXT: } : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %r = triton.scan %x axis 1 {
  ^bb0(%before: f32, %here: f32):
    %sum = arith.addf %before, %here : f32
    triton.yield %sum : f32
  } : (tensor<4x64xf32>) -> tensor<4x64xf32>
  // CHECK:      %v, %p = triton.scan %x, %i axis 0 {
  // CHECK:        triton.yield %b, %q : f32, i64
  %v, %p = triton.scan %x, %i axis 0 {
  ^bb0(%a: f32, %o: i64, %b: f32, %q: i64):
    triton.yield %b, %q : f32, i64
  } : (tensor<4x64xf32>, tensor<4x64xi64>) -> (tensor<4x64xf32>, tensor<4x64xi64>)
  triton.return
}
