// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: takes a floating-point operand
func.func @main(%0: tensor<2xi32>) {
  %r = nn.log %0 : (tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----

// CHECK: cast integers first
func.func @main(%0: tensor<2xi32>) {
  %r = nn.atan2 %0, %0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  func.return
}
