// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: nn.nms takes an overlap from 0 to 1 and a finite score as thresholds, got [1.5, 0.0]
func.func @main(%b: tensor<2x9x1x4xf32>, %s: tensor<2x9x3xf32>) {
  %i, %n = nn.nms %b, %s thresholds [1.5, 0.0] max_n 7 agnostic 0 : (tensor<2x9x1x4xf32>, tensor<2x9x3xf32>) -> (tensor<2x7xi64>, tensor<2xi64>)
  func.return
}

// -----

// CHECK: boxes (b, n, 1, 4) or (b, n, c, 4) belong to scores (b, n, c) of at least one box and class, got float32 (2, 9, 2, 4) and float32 (2, 9, 3)
func.func @main(%b: tensor<2x9x2x4xf32>, %s: tensor<2x9x3xf32>) {
  %i, %n = nn.nms %b, %s thresholds [0.5, 0.0] max_n 7 agnostic 0 : (tensor<2x9x2x4xf32>, tensor<2x9x3xf32>) -> (tensor<2x7xi64>, tensor<2xi64>)
  func.return
}
