// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: weight and bias of nn.layer_norm must have shape (5), got float32 (4)
func.func @main(%0: tensor<4x5xf32>, %1: tensor<4xf32>) {
  %r = nn.layer_norm %0 weight %1 : tensor<4xf32> dims 1 epsilon 1.0e-05 : f64 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  func.return
}

// -----

// CHECK: 3 groups do not divide the channels of (4, 5)
func.func @main(%0: tensor<4x5xf32>) {
  %r = nn.group_norm %0 groups 3 epsilon 1.0e-05 : f64 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  func.return
}

// -----

// CHECK: mean and variance are given together
func.func @main(%0: tensor<4x5xf32>, %1: tensor<5xf32>) {
  %r = nn.batch_norm %0 mean %1 : tensor<5xf32> epsilon 1.0e-05 : f64 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  func.return
}

// -----

// CHECK: (4, 5) has no 3 axes
func.func @main(%0: tensor<4x5xf32>) {
  %r = nn.rms_norm %0 dims 3 epsilon 1.0e-05 : f64 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  func.return
}
