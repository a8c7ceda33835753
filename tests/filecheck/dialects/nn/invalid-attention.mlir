// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: do not fit: they are (..., S, D), (..., T, D), (..., T, E)
func.func @main(%0: tensor<5x8xf32>, %1: tensor<7x9xf32>, %2: tensor<7x4xf32>) {
  %r = nn.attention %0, %1, %2 scale 0.5 : f64 empty 0 : (tensor<5x8xf32>, tensor<7x9xf32>, tensor<7x4xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

// CHECK: nn.attention takes float32, got float16 (5, 8): other dtypes stay products and a softmax
func.func @main(%0: tensor<5x8xf16>, %1: tensor<7x8xf16>, %2: tensor<7x4xf16>) {
  %r = nn.attention %0, %1, %2 scale 0.5 : f64 empty 0 : (tensor<5x8xf16>, tensor<7x8xf16>, tensor<7x4xf16>) -> tensor<5x4xf16>
  func.return
}

// -----

// CHECK: the mask float32 (2, 5, 7) does not broadcast to the scores (5, 7)
func.func @main(%0: tensor<5x8xf32>, %1: tensor<7x8xf32>, %2: tensor<7x4xf32>, %3: tensor<2x5x7xf32>) {
  %r = nn.attention %0, %1, %2 mask %3 scale 0.5 : f64 empty 0 : (tensor<5x8xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<2x5x7xf32>) -> tensor<5x4xf32>
  func.return
}
