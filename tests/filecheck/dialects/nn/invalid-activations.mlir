// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: unknown approximation 'erf'; one of none, tanh
func.func @main(%0: tensor<3xf32>) {
  %r = nn.gelu %0 approximate "erf" : (tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: nn.silu takes a floating-point operand, got i32
func.func @main(%0: tensor<3xi32>) {
  %r = nn.silu %0 : (tensor<3xi32>) -> tensor<3xi32>
  func.return
}
