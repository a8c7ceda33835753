// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: pillow has no resize mode 'cubic'; one of nearest
func.func @main(%0: tensor<5x7x3xui8>) {
  %r = nn.resize %0 axes [0, 1] to [8, 9] mode "cubic" like "pillow" : (tensor<5x7x3xui8>) -> tensor<8x9x3xui8>
  func.return
}

// -----

// CHECK: pillow has no resize mode ''
func.func @main(%0: tensor<5x7x3xui8>) {
  %r = nn.resize %0 axes [0, 1] to [8, 9] mode "" like "pillow" : (tensor<5x7x3xui8>) -> tensor<8x9x3xui8>
  func.return
}

// -----

// CHECK: the image has 3 channels, but mean has 2
func.func @main(%0: tensor<5x7x3xf32>) {
  %r = nn.normalize %0 axis 2 mean [0.1, 0.2] std [1.0, 1.0, 1.0] : (tensor<5x7x3xf32>) -> tensor<5x7x3xf32>
  func.return
}

// -----

// CHECK: std 1
func.func @main(%0: tensor<5x7x3xf32>) {
  %r = nn.normalize %0 axis 2 mean [0.1, 0.2, 0.3] std [1.0] : (tensor<5x7x3xf32>) -> tensor<5x7x3xf32>
  func.return
}

// -----

// CHECK: axis 2 is out of range for rank 2
func.func @main(%0: tensor<5x7xui8>, %1: tensor<9xi32>, %2: tensor<9x3xi32>) {
  %r = nn.resample %0, %1, %2 axis 2 : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x3xi32>) -> tensor<5x9xui8>
  func.return
}

// -----

// CHECK: axis -1 is out of range
func.func @main(%0: tensor<5x7xui8>, %1: tensor<9xi32>, %2: tensor<9x3xi32>) {
  %r = nn.resample %0, %1, %2 axis -1 : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x3xi32>) -> tensor<5x9xui8>
  func.return
}

// -----

// CHECK: fraction_bits 23 is for rounded uint8, from 1 to 22
func.func @main(%0: tensor<5x7xui8>, %1: tensor<9xi32>, %2: tensor<9x3xi32>) {
  %r = nn.resample %0, %1, %2 axis 0 {fraction_bits = 23 : i64} : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x3xi32>) -> tensor<9x7xui8>
  func.return
}

// -----

// CHECK: row_axis 1 is no other axis of uint8 (5, 7)
func.func @main(%0: tensor<5x7xui8>, %1: tensor<9xi32>, %2: tensor<9x3xi32>, %3: tensor<2xi32>) {
  %r = nn.resample %0, %1, %2 rows %3 axis 1 {row_axis = 1 : i64} : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x3xi32>, tensor<2xi32>) -> tensor<2x9xui8>
  func.return
}

// -----

// CHECK: opencv has no resize mode 'box'; one of nearest
func.func @main() {
  %f, %t = nn.resample_taps 480 to 224 mode "box" like "opencv" as "int32" : tensor<224xi32>, tensor<224x3xi32>
  func.return
}
