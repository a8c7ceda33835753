// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: float32 (2, 3) does not reshape to (7)
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.reshape %0 to [7] : (tensor<2x3xf32>) -> tensor<7xf32>
  func.return
}

// -----

// CHECK: does not reshape
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.reshape %0 to [2, 2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

// CHECK: [0] is not a permutation of 2 dimensions
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.transpose %0 by [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: not a permutation
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.transpose %0 by [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

// CHECK: float32 (30) does not have the 2 dimensions of the layout
func.func @main(%0: tensor<30xf32>) {
  %r = nn.pack %0 as #dev.layout<[0, 1], [16, 1]> : (tensor<30xf32>) -> tensor<2x16xf32>
  func.return
}

// -----

// CHECK: does not have the 1 dimensions
func.func @main(%0: tensor<30x8xf32>) {
  %r = nn.pack %0 as #dev.layout<[0], [4]> : (tensor<30x8xf32>) -> tensor<8x4xf32>
  func.return
}

// -----

// CHECK: needs 2 values
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.pad %0 low [0] high [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: on each side
func.func @main(%0: tensor<2x3xf32>) {
  %r = nn.pad %0 low [0, 0] high [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
