// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/images.py.

// CHECK: the crop [4, 6] at [2, 0] reaches out of uint8 (5, 7, 3) HWC
func.func @main(%x: tensor<5x7x3xui8, #pipe.axes<"HWC">>) {
  %r = pipe.crop %x from [2, 0] size [4, 6] : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<4x6x3xui8, #pipe.axes<"HWC">>
  func.return
}

// -----

// CHECK: uint8 (5, 7, 3) HWC has not enough pixels for a border of 5 in mode 'reflect'
func.func @main(%x: tensor<5x7x3xui8, #pipe.axes<"HWC">>) {
  %r = pipe.pad %x by [0, 5, 0, 0] mode "reflect" value 0.0 : f64 : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<10x7x3xui8, #pipe.axes<"HWC">>
  func.return
}

// -----

// CHECK: OpenCV has no conversion of full bt601, only of limited bt601; like 'itu' has
func.func @main(%x: tensor<6x4xui8, #pipe.axes<"HW">>) {
  %r = pipe.yuv %x from "NV12" to "RGB" matrix "bt601" range "full" like "opencv" : (tensor<6x4xui8, #pipe.axes<"HW">>) -> tensor<4x4x3xui8, #pipe.axes<"HWC">>
  func.return
}

// -----

// CHECK: there is nothing to round between int32 (3) and int8 (3)
func.func @main(%x: tensor<3xi32>) {
  %r = pipe.cast %x to i8 rounding "floor" : (tensor<3xi32>) -> tensor<3xi8>
  func.return
}
