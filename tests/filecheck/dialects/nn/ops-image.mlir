// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @image(
  %a0: tensor<5x7x3xui8>,
  %a1: tensor<5x7xui8>,
  %a2: tensor<9xi32>,
  %a3: tensor<9x3xi32>,
  %a4: tensor<4x4x1xui8>,
  %a5: tensor<2xi32>
) {
  %r0 = nn.resize %a0 axes [0, 1] to [8, 9] mode "bilinear" like "pillow" : (tensor<5x7x3xui8>) -> tensor<8x9x3xui8>
  // CHECK: %r0 = nn.resize %a0 axes [0, 1] to [8, 9] mode "bilinear" like "pillow" : (tensor<5x7x3xui8>) -> tensor<8x9x3xui8>
  // GENERIC: "nn.resize"(%a0) <{axes = array<i64: 0, 1>, size = array<i64: 8, 9>, mode = "bilinear", like = "pillow"}> : (tensor<5x7x3xui8>) -> tensor<8x9x3xui8>

  %r1 = nn.resample %a1, %a2, %a3 axis 1 : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x3xi32>) -> tensor<5x9xui8>
  // CHECK: %r1 = nn.resample %a1, %a2, %a3 axis 1 : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x3xi32>) -> tensor<5x9xui8>
  // GENERIC: "nn.resample"(%a1, %a2, %a3) <{axis = 1 : i64}> : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x3xi32>) -> tensor<5x9xui8>

  %r2 = nn.normalize %a4 axis 2 mean [0.5] std [0.25] : (tensor<4x4x1xui8>) -> tensor<4x4x1xf32>
  // CHECK: %r2 = nn.normalize %a4 axis 2 mean [0.5] std [0.25] : (tensor<4x4x1xui8>) -> tensor<4x4x1xf32>
  // GENERIC: "nn.normalize"(%a4) <{axis = 2 : i64, mean = array<f64: 5.000000e-01>, std = array<f64: 2.500000e-01>}> : (tensor<4x4x1xui8>) -> tensor<4x4x1xf32>

  %f, %t = nn.resample_taps 480 to 224 mode "bilinear" like "pillow" as "int32" : tensor<224xi32>, tensor<224x5xi32>
  // CHECK: %f, %t = nn.resample_taps 480 to 224 mode "bilinear" like "pillow" as "int32" : tensor<224xi32>, tensor<224x5xi32>
  // GENERIC: "nn.resample_taps"() <{in_size = 480 : i64, out_size = 224 : i64, mode = "bilinear", like = "pillow", dtype = "int32"}> : () -> (tensor<224xi32>, tensor<224x5xi32>)

  %s = nn.resample %a1, %a2, %a3 rows %a5 axis 1 sum {product_shift = 4 : i64, row_axis = 0 : i64} : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x3xi32>, tensor<2xi32>) -> tensor<2x9xi32>
  // CHECK: %s = nn.resample %a1, %a2, %a3 rows %a5 axis 1 sum {product_shift = 4 : i64, row_axis = 0 : i64} : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x3xi32>, tensor<2xi32>) -> tensor<2x9xi32>

  %h, %v = nn.resample_taps 7 to 9 mode "bilinear" like "torchvision" as "int16" : tensor<9xi32>, tensor<9x2xi16>
  // CHECK: %h, %v = nn.resample_taps 7 to 9 mode "bilinear" like "torchvision" as "int16" : tensor<9xi32>, tensor<9x2xi16>

  %w = nn.resample %a1, %h, %v axis 1 {fraction_bits = 14 : i64} : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x2xi16>) -> tensor<5x9xui8>
  // CHECK: %w = nn.resample %a1, %h, %v axis 1 {fraction_bits = 14 : i64} : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x2xi16>) -> tensor<5x9xui8>
  // GENERIC: "nn.resample"(%a1, %h, %v) <{axis = 1 : i64, fraction_bits = 14 : i64}> : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x2xi16>) -> tensor<5x9xui8>

  %g, %u, %rows = nn.resample_taps 480 to 24 mode "bilinear" like "opencv" as "int32" compact : tensor<24xi32>, tensor<24x2xi32>, tensor<48xi32>
  // CHECK: %g, %u, %rows = nn.resample_taps 480 to 24 mode "bilinear" like "opencv" as "int32" compact : tensor<24xi32>, tensor<24x2xi32>, tensor<48xi32>
  func.return
}
