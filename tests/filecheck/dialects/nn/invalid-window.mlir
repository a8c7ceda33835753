// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: the input must be NCHW, got (3, 8
func.func @main(%0: tensor<3x8x8xf32>, %1: tensor<4x3x3x3xf32>) {
  %r = nn.conv2d %0, %1 stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<4x6x6xf32>
  func.return
}

// -----

// CHECK: the weight must be OIHW
func.func @main(%0: tensor<1x3x8x8xf32>, %1: tensor<4x27xf32>) {
  %r = nn.conv2d %0, %1 stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<1x3x8x8xf32>, tensor<4x27xf32>) -> tensor<1x4x6x6xf32>
  func.return
}

// -----

// CHECK: the input must be NCHW
func.func @main(%0: tensor<4x8x8xf32>) {
  %r = nn.max_pool2d %0 kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0 : (tensor<4x8x8xf32>) -> tensor<4x4x4xf32>
  func.return
}

// -----

// CHECK: does not take a bool operand
func.func @main(%0: tensor<1x4x8x8xi1>) {
  %r = nn.max_pool2d %0 kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0 : (tensor<1x4x8x8xi1>) -> tensor<1x4x4x4xi1>
  func.return
}
