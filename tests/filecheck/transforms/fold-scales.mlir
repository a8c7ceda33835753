// RUN: devproc-opt %s --split-input-file -p fold-scales | filecheck %s

// A batch norm behind a convolution with a bias, channels last: its factors lie along the
// last axis of the weight, and the bias takes them too.
// CHECK-LABEL: @nhwc
// CHECK:       %[[W:.*]] = nn.weight @w
// CHECK:       %[[B:.*]] = nn.weight @b
// CHECK:       %[[S:.*]] = nn.weight @s
// CHECK-NEXT:  %[[ALONG:.*]] = nn.reshape %[[S]] to [1, 1, 1, 6]
// CHECK-NEXT:  %[[SCALED:.*]] = nn.mul %[[W]], %[[ALONG]]
// CHECK-NEXT:  %[[FLAT:.*]] = nn.reshape %[[S]] to [6]
// CHECK-NEXT:  %[[BIAS:.*]] = nn.mul %[[B]], %[[FLAT]]
// CHECK-NEXT:  %[[CONV:.*]] = nn.conv2d %x, %[[SCALED]] bias %[[BIAS]]
// CHECK-NEXT:  func.return %[[CONV]]
func.func @nhwc(%x: tensor<1x5x7x4xf32>) -> tensor<1x3x5x6xf32> {
  %w = nn.weight @w hash "1f" : tensor<3x3x4x6xf32>
  %b = nn.weight @b hash "2f" : tensor<6xf32>
  %y = nn.conv2d %x, %w bias %b stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc" : (tensor<1x5x7x4xf32>, tensor<3x3x4x6xf32>, tensor<6xf32>) -> tensor<1x3x5x6xf32>
  %s = nn.weight @s hash "3f" : tensor<1x1x1x6xf32>
  %r = nn.mul %y, %s : (tensor<1x3x5x6xf32>, tensor<1x1x1x6xf32>) -> tensor<1x3x5x6xf32>
  func.return %r : tensor<1x3x5x6xf32>
}

// -----

// Channels first, in groups, and the product the other way round.
// CHECK-LABEL: @nchw
// CHECK:       nn.reshape %{{.*}} to [6, 1, 1, 1]
// CHECK-NEXT:  %[[SCALED:.*]] = nn.mul
// CHECK-NEXT:  %[[CONV:.*]] = nn.conv2d %x, %[[SCALED]]
// CHECK-NEXT:  func.return %[[CONV]]
func.func @nchw(%x: tensor<1x4x5x7xf32>) -> tensor<1x6x3x5xf32> {
  %w = nn.weight @w hash "1f" : tensor<6x2x3x3xf32>
  %y = nn.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 2 : (tensor<1x4x5x7xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x3x5xf32>
  %s = nn.weight @s hash "3f" : tensor<6x1x1xf32>
  %r = nn.mul %s, %y : (tensor<6x1x1xf32>, tensor<1x6x3x5xf32>) -> tensor<1x6x3x5xf32>
  func.return %r : tensor<1x6x3x5xf32>
}

// -----

// Two products in a row, one by a single number.
// CHECK-LABEL: @twice
// CHECK-COUNT-2: nn.mul %{{.*}} : (tensor<4x3xf32>,
// CHECK-NEXT:  %[[Y:.*]] = nn.linear
// CHECK-NEXT:  func.return %[[Y]]
func.func @twice(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %w = nn.weight @w hash "1f" : tensor<4x3xf32>
  %y = nn.linear %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %half = nn.constant dense<0.5> : tensor<f32> : tensor<f32>
  %z = nn.mul %y, %half : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %s = nn.weight @s hash "3f" : tensor<4xf32>
  %r = nn.mul %z, %s : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return %r : tensor<2x4xf32>
}

// -----

// What has another use, another axis, another shape or no known value stays.
// CHECK-LABEL: @stays
// CHECK-COUNT-4: nn.mul
// CHECK:       func.return
func.func @stays(%x: tensor<4x3xf32>, %v: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<4x4xf32>) {
  %w = nn.weight @w hash "1f" : tensor<4x3xf32>
  %s = nn.weight @s hash "3f" : tensor<4xf32>
  %rows = nn.weight @rows hash "4f" : tensor<4x1xf32>
  %more = nn.weight @more hash "5f" : tensor<2x1x4xf32>
  %a = nn.linear %x, %w : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  %b = nn.linear %x, %w : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  %c = nn.linear %x, %w : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  %d = nn.linear %x, %w : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  %ra = nn.mul %a, %s : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %rb = nn.mul %b, %rows : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %rc = nn.mul %c, %v : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %rd = nn.mul %d, %more : (tensor<4x4xf32>, tensor<2x1x4xf32>) -> tensor<2x4x4xf32>
  func.return %ra, %rb, %rc, %rd, %a : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<4x4xf32>
}

// -----

// 16 bits are too few for a weight that is rounded twice.
// CHECK-LABEL: @halves
// CHECK:       nn.linear
// CHECK:       nn.mul
func.func @halves(%x: tensor<2x3xf16>) -> tensor<2x4xf16> {
  %w = nn.weight @w hash "1f" : tensor<4x3xf16>
  %y = nn.linear %x, %w : (tensor<2x3xf16>, tensor<4x3xf16>) -> tensor<2x4xf16>
  %s = nn.weight @s hash "3f" : tensor<4xf16>
  %r = nn.mul %y, %s : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
  func.return %r : tensor<2x4xf16>
}

// -----

// With precision "strict" products are those of the model.
// CHECK-LABEL: @strict
// CHECK:       nn.linear
// CHECK:       nn.mul
builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512, threads = 1, precision = "strict", arch = "sm_90", interpret = 0>} {
  func.func @strict(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
    %w = nn.weight @w hash "1f" : tensor<4x3xf32>
    %y = nn.linear %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    %s = nn.weight @s hash "3f" : tensor<4xf32>
    %r = nn.mul %y, %s : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    func.return %r : tensor<2x4xf32>
  }
}
