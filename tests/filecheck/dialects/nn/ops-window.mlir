// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @window(
  %a0: tensor<1x3x8x8xf32>,
  %a1: tensor<4x3x3x3xf32>,
  %a2: tensor<1x3x8x8xf32>,
  %a3: tensor<4x3x3x3xf32>,
  %a4: tensor<4xf32>,
  %a5: tensor<1x3x8x8xf32>,
  %a6: tensor<1x3x7x8xf32>,
  %a7: tensor<1x10x11x3xf32>,
  %a8: tensor<3x3x3x4xf32>,
  %a9: tensor<4xf32>,
  %a10: tensor<3x3x8x32xf32>,
  %a11: tensor<5x7x3x32xf32>,
  %a12: tensor<1x3x8x8xi8>,
  %a13: tensor<4x3x3x3xi8>,
  %a14: tensor<4xi32>
) {
  %r0 = nn.conv2d %a0, %a1 stride [2, 1] padding [1, 0] dilation [1, 1] groups 1 : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x4x6xf32>
  // CHECK: %r0 = nn.conv2d %a0, %a1 stride [2, 1] padding [1, 0] dilation [1, 1] groups 1 : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x4x6xf32>
  // GENERIC: "nn.conv2d"(%a0, %a1) <{stride = array<i64: 2, 1>, padding = array<i64: 1, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}> : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x4x6xf32>

  %r1 = nn.conv2d %a2, %a3 bias %a4 stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: %r1 = nn.conv2d %a2, %a3 bias %a4 stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  // GENERIC: "nn.conv2d"(%a2, %a3, %a4) <{stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64}> : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>

  %r2 = nn.max_pool2d %a5 kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0 : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
  // CHECK: %r2 = nn.max_pool2d %a5 kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0 : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
  // GENERIC: "nn.max_pool2d"(%a5) <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, ceil_mode = 0 : i64}> : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>

  %r3 = nn.sum_pool2d %a6 kernel [2, 3] stride [2, 2] padding [1, 0] dilation [1, 1] ceil 1 : (tensor<1x3x7x8xf32>) -> tensor<1x3x4x4xf32>
  // CHECK: %r3 = nn.sum_pool2d %a6 kernel [2, 3] stride [2, 2] padding [1, 0] dilation [1, 1] ceil 1 : (tensor<1x3x7x8xf32>) -> tensor<1x3x4x4xf32>
  // GENERIC: "nn.sum_pool2d"(%a6) <{kernel = array<i64: 2, 3>, stride = array<i64: 2, 2>, padding = array<i64: 1, 0>, dilation = array<i64: 1, 1>, ceil_mode = 1 : i64}> : (tensor<1x3x7x8xf32>) -> tensor<1x3x4x4xf32>

  %r4 = nn.conv2d %a7, %a8 bias %a9 stride [1, 2] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc" : (tensor<1x10x11x3xf32>, tensor<3x3x3x4xf32>, tensor<4xf32>) -> tensor<1x8x5x4xf32>
  // CHECK: %r4 = nn.conv2d %a7, %a8 bias %a9 stride [1, 2] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc" : (tensor<1x10x11x3xf32>, tensor<3x3x3x4xf32>, tensor<4xf32>) -> tensor<1x8x5x4xf32>
  // GENERIC: "nn.conv2d"(%a7, %a8, %a9) <{stride = array<i64: 1, 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, layout = "nhwc"}> : (tensor<1x10x11x3xf32>, tensor<3x3x3x4xf32>, tensor<4xf32>) -> tensor<1x8x5x4xf32>

  %r5 = nn.max_pool2d %a7 kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0 layout "nhwc" : (tensor<1x10x11x3xf32>) -> tensor<1x5x5x3xf32>
  // CHECK: %r5 = nn.max_pool2d %a7 kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0 layout "nhwc" : (tensor<1x10x11x3xf32>) -> tensor<1x5x5x3xf32>
  // GENERIC: "nn.max_pool2d"(%a7) <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, ceil_mode = 0 : i64, layout = "nhwc"}> : (tensor<1x10x11x3xf32>) -> tensor<1x5x5x3xf32>

  %r6 = nn.pack %a10 as #dev.winograd<4, 16> : (tensor<3x3x8x32xf32>) -> tensor<2x8x9x16xf32>
  // CHECK: %r6 = nn.pack %a10 as #dev.winograd<4, 16> : (tensor<3x3x8x32xf32>) -> tensor<2x8x9x16xf32>
  // GENERIC: "nn.pack"(%a10) <{layout = #dev.winograd<4, 16>}> : (tensor<3x3x8x32xf32>) -> tensor<2x8x9x16xf32>

  %r7 = nn.pack %a11 as #dev.winograd_line<2, 16> : (tensor<5x7x3x32xf32>) -> tensor<2x7x5x6x16xf32>
  // CHECK: %r7 = nn.pack %a11 as #dev.winograd_line<2, 16> : (tensor<5x7x3x32xf32>) -> tensor<2x7x5x6x16xf32>
  // GENERIC: "nn.pack"(%a11) <{layout = #dev.winograd_line<2, 16>}> : (tensor<5x7x3x32xf32>) -> tensor<2x7x5x6x16xf32>

  %r8 = nn.conv2d %a12, %a13 bias %a14 stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>, tensor<4xi32>) -> tensor<1x4x8x8xi32>
  // CHECK: %r8 = nn.conv2d %a12, %a13 bias %a14 stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>, tensor<4xi32>) -> tensor<1x4x8x8xi32>
  // GENERIC: "nn.conv2d"(%a12, %a13, %a14) <{stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64}> : (tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>, tensor<4xi32>) -> tensor<1x4x8x8xi32>
  func.return
}
