// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: the constant has type tensor<2xf32>, its result tensor<3xf32>
func.func @main(%x: tensor<2xf32>) {
%c = nn.constant dense<1.0> : tensor<2xf32> : tensor<3xf32>
  func.return
}

// -----

// CHECK: a constant of 1025 elements must be an nn.weight (limit 1024)
func.func @main(%x: tensor<2xf32>) {
%c = nn.constant dense<1.0> : tensor<1025xf32> : tensor<1025xf32>
  func.return
}

// -----

// CHECK: must have a static shape
func.func @main(%x: tensor<2xf32>) {
%w = nn.weight @w hash "00" : tensor<?xf32>
  func.return
}
