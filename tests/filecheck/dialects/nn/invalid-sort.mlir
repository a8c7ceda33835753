// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: nn.sort needs an axis, got a tensor of rank 0
func.func @main(%0: tensor<f32>) {
  %v, %i = nn.sort %0 descending 0 : (tensor<f32>) -> (tensor<f32>, tensor<i64>)
  func.return
}

// -----

// CHECK: nn.kth_value needs an axis with elements, got float32 (2, 0)
func.func @main(%0: tensor<2x0xf32>, %k: tensor<2x1xi64>) {
  %v, %i = nn.kth_value %0 at %k : (tensor<2x0xf32>, tensor<2x1xi64>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
  func.return
}

// -----

// CHECK: ranks must be int64 for each row of float32 (2, 3), got int64 (3, 1)
func.func @main(%0: tensor<2x3xf32>, %k: tensor<3x1xi64>) {
  %v, %i = nn.kth_value %0 at %k : (tensor<2x3xf32>, tensor<3x1xi64>) -> (tensor<3x1xf32>, tensor<3x1xi64>)
  func.return
}

// -----

// CHECK: result 1 must be int64 (2, 3), got int32 (2, 3)
func.func @main(%0: tensor<2x3xf32>) {
  %v, %i = nn.sort %0 descending 0 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  func.return
}
