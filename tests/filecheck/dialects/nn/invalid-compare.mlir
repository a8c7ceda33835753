// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: result 0 must be bool (2)
func.func @main(%0: tensor<2xf32>) {
  %r = nn.lt %0, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: nn.where needs a bool condition, got f32
func.func @main(%0: tensor<2xf32>) {
  %r = nn.where %0, %0, %0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: nn.and takes integers or bool
func.func @main(%0: tensor<2xf32>) {
  %r = nn.and %0, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}
