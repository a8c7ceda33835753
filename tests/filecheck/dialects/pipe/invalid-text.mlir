// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/text.py.

// CHECK: the mask of float32 (2, 5, 4) is (2, 5), got int64 (5)
func.func @main(%x: tensor<2x5x4xf32>, %m: tensor<5xi64>) {
  %r = pipe.mean_pool %x, %m : (tensor<2x5x4xf32>, tensor<5xi64>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: strategy "top_p" needs a seed
func.func @main(%x: tensor<2x5xf32>) {
  %r = pipe.next_token %x strategy "top_p" k 1 p 0.9 : f64 temperature 1.0 : f64 : (tensor<2x5xf32>) -> tensor<2xi64>
  func.return
}
