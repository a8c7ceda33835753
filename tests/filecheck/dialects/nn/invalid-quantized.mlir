// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: float32 (2, 40) is not an (N, K) with K in groups of 32
func.func @main(%w: tensor<2x40xf32>) {
  %q, %s = nn.quantize_groups %w bits 8 group 32 : (tensor<2x40xf32>) -> (tensor<2x1x32xi8>, tensor<2x1x1xf16>)
  func.return
}

// -----

// CHECK: numbers have 4 or 8 bits, not 5
func.func @main(%w: tensor<2x32xf32>) {
  %q, %s = nn.quantize_groups %w bits 5 group 32 : (tensor<2x32xf32>) -> (tensor<2x1x32xi8>, tensor<2x1x1xf16>)
  func.return
}

// -----

// CHECK: the operands of nn.rescale must broadcast to (2, 4), got int32 (3, 1, 1) and int8 ()
func.func @main(%x: tensor<2x4xi32>, %m: tensor<3x1x1xi32>, %s: tensor<i8>) {
  %r = nn.rescale %x, %m, %s zero 0 to i8 zero 0 clamp -128 127 : (tensor<2x4xi32>, tensor<3x1x1xi32>, tensor<i8>) -> tensor<2x4xi8>
  func.return
}

// -----

// CHECK: the zero point must be int32, got int8 ()
func.func @main(%x: tensor<2x4xf32>, %f: tensor<f32>, %z: tensor<i8>) {
  %r = nn.quantize %x by %f zero %z to i8 clamp -128 127 : (tensor<2x4xf32>, tensor<f32>, tensor<i8>) -> tensor<2x4xi8>
  func.return
}

// -----

// CHECK: the input of nn.dequantize must be int8 or uint8 or int32, got int16 (2, 4)
func.func @main(%x: tensor<2x4xi16>, %f: tensor<f32>) {
  %r = nn.dequantize %x by %f : (tensor<2x4xi16>, tensor<f32>) -> tensor<2x4xf32>
  func.return
}
