// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: out of range
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.reduce_sum %0 axes [2] keep 0 : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: out of range
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.reduce_sum %0 axes [-1] keep 0 : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: out of range
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.reduce_max %0 axes [2] keep 0 : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: out of range
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.reduce_max %0 axes [-1] keep 0 : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: axis 2 is out of
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.argmax %0 axis 2 keep 0 : (tensor<2x3xf32>) -> tensor<2xi64>
  func.return
}

// -----

// CHECK: axis -3 is out of
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.argmax %0 axis -3 keep 0 : (tensor<2x3xf32>) -> tensor<2xi64>
  func.return
}

// -----

// CHECK: axis 2 is out of range
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.softmax %0 axis 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: axis -3 is out of range
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.softmax %0 axis -3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
