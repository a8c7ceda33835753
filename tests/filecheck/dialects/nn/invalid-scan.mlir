// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: nn.cumsum does not take a bool operand
func.func @main(%0: tensor<2x3xi1>) {
  %1 = nn.cumsum %0 axis 1 : (tensor<2x3xi1>) -> tensor<2x3xi1>
  func.return
}

// -----

// CHECK: axis 2 is out of range for rank 2
func.func @main(%0: tensor<2x3xf32>) {
  %1 = nn.cumprod %0 axis 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: nn.logcumsumexp takes a floating-point operand
func.func @main(%0: tensor<2x3xi64>) {
  %1 = nn.logcumsumexp %0 axis 1 : (tensor<2x3xi64>) -> tensor<2x3xi64>
  func.return
}

// -----

// CHECK: result 1 must be int64 (2, 3), got int32 (2, 3)
func.func @main(%0: tensor<2x3xf32>) {
  %v, %i = nn.cummax %0 axis 1 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  func.return
}
