// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/detection.py.

// CHECK: pipe.softmax ignores the count of float32 (5, 4) bounded along axis 0, of which rows from the count on are padding
func.func @main(%x: tensor<5x4xf32, #pipe.bounded<0>>) {
  %r = pipe.softmax %x axis -1 : (tensor<5x4xf32, #pipe.bounded<0>>) -> tensor<5x4xf32>
  func.return
}

// -----

// The count of other boxes.
// CHECK: pipe.clip_boxes needs the count that belongs to float32 (2, 4) bounded along axis 0
func.func @main(%x: tensor<5x4xf32>, %s: tensor<5xf32>) {
  %a, %b, %c, %d, %n = pipe.nms %x, %s thresholds [0.5, 0.0] max_n 2 agnostic 0 multi_label 1 : (tensor<5x4xf32>, tensor<5xf32>) -> (tensor<2x4xf32, #pipe.bounded<0>>, tensor<2xf32, #pipe.bounded<0>>, tensor<2xi64, #pipe.bounded<0>>, tensor<2xi64, #pipe.bounded<0>>, tensor<i64>)
  %a1, %b1, %c1, %d1, %n1 = pipe.nms %x, %s thresholds [0.4, 0.0] max_n 2 agnostic 0 multi_label 1 : (tensor<5x4xf32>, tensor<5xf32>) -> (tensor<2x4xf32, #pipe.bounded<0>>, tensor<2xf32, #pipe.bounded<0>>, tensor<2xi64, #pipe.bounded<0>>, tensor<2xi64, #pipe.bounded<0>>, tensor<i64>)
  %r = pipe.clip_boxes %a to [4.0, 4.0] count %n1 : (tensor<2x4xf32, #pipe.bounded<0>>, tensor<i64>) -> tensor<2x4xf32, #pipe.bounded<0>>
  func.return
}

// -----

// CHECK: model @model: input 0 has no count, but float32 (5, 4) bounded along axis 0 needs one
func.func @main(%x: tensor<5x4xf32, #pipe.bounded<0>>) {
  %r = pipe.model @model(%x) : (tensor<5x4xf32, #pipe.bounded<0>>) -> tensor<5x4xf32>
  func.return
}
func.func private @model(%x: tensor<5x4xf32>) -> tensor<5x4xf32> {
  func.return %x : tensor<5x4xf32>
}

// -----

// CHECK: layout 'HH' names an axis twice
func.func @main(%x: tensor<5x4xf32, #pipe.bounded<0, "HH">>) {
  func.return
}
