// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: nn.check_range takes integers, got float32 (2)
func.func @main(%0: tensor<2xf32>) {
  nn.check_range %0 from 0 to 8 what "index" of "aten.index.Tensor" : tensor<2xf32>
  func.return
}

// -----

// CHECK: nn.check_divisor needs at least one element
func.func @main(%0: tensor<0xi64>) {
  nn.check_divisor %0 of "aten.remainder.Tensor" : tensor<0xi64>
  func.return
}
