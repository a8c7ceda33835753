// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/pipe.py.

// CHECK: resize needs axes H and W, got uint8 (5, 7, 3)
func.func @main(%x: tensor<5x7x3xui8>) {
  %r = pipe.resize %x to [8, 9] mode "bilinear" like "pillow" : (tensor<5x7x3xui8>) -> tensor<8x9x3xui8>
  func.return
}

// -----

// CHECK: the value is float32 (4, 5, 3) HWC, not CHW
func.func @main(%x: tensor<4x5x3xf32, #pipe.axes<"HWC">>) {
  %r = pipe.layout %x from "CHW" to "HWC" : (tensor<4x5x3xf32, #pipe.axes<"HWC">>) -> tensor<4x5x3xf32, #pipe.axes<"HWC">>
  func.return
}

// -----

// CHECK: model @model: input 0 must be float32 (1, 3), got float32 (1, 4)
func.func @main(%x: tensor<1x4xf32>) {
  %r = pipe.model @model(%x) : (tensor<1x4xf32>) -> tensor<1x3xf32>
  func.return
}
func.func private @model(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  func.return %x : tensor<1x3xf32>
}

// -----

// CHECK: layout 'HWHC' names an axis twice
func.func private @main(tensor<4x5x4x3xf32, #pipe.axes<"HWHC">>)
