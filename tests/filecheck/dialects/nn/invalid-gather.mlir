// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: an index must have rank 2 as the tensor has, got int64 (2)
func.func @main(%0: tensor<9x4xf32>, %1: tensor<2xi64>) {
  %r = nn.gather %0 at %1 axes [0] : (tensor<9x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: unknown scatter mode 'sum'
func.func @main(%0: tensor<2x4xf32>, %1: tensor<9x4xf32>, %2: tensor<2x1xi64>) {
  %r = nn.scatter %0 into %1 at %2 axis 0 mode "sum" : (tensor<2x4xf32>, tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<9x4xf32>
  func.return
}
