// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @normalization(
  %x: tensor<2x4x5xf16>,
  %c: tensor<4xf32>,
  %w: tensor<5xf16>
) {
  %r0, %m0, %s0 = nn.layer_norm %x weight %w : tensor<5xf16> dims 1 epsilon 1.0e-05 : f64 statistics : (tensor<2x4x5xf16>) -> (tensor<2x4x5xf16>, tensor<2x4x1xf32>, tensor<2x4x1xf32>)
  // CHECK: %r0, %m0, %s0 = nn.layer_norm %x weight %w : tensor<5xf16> dims 1 epsilon 1.000000e-05 : f64 statistics : (tensor<2x4x5xf16>) -> (tensor<2x4x5xf16>, tensor<2x4x1xf32>, tensor<2x4x1xf32>)
  // GENERIC: "nn.layer_norm"(%x, %w) <{dims = 1 : i64, epsilon = 1.000000e-05 : f64, statistics, operandSegmentSizes = array<i32: 1, 1, 0>}>

  %r1 = nn.group_norm %x bias %c : tensor<4xf32> groups 2 epsilon 1.0e-05 : f64 : (tensor<2x4x5xf16>) -> tensor<2x4x5xf16>
  // CHECK: %r1 = nn.group_norm %x bias %c : tensor<4xf32> groups 2 epsilon 1.000000e-05 : f64 : (tensor<2x4x5xf16>) -> tensor<2x4x5xf16>
  // GENERIC: "nn.group_norm"(%x, %c) <{groups = 2 : i64, epsilon = 1.000000e-05 : f64, operandSegmentSizes = array<i32: 1, 0, 1>}>

  %r2 = nn.batch_norm %x mean %c : tensor<4xf32> variance %c : tensor<4xf32> epsilon 1.0e-05 : f64 : (tensor<2x4x5xf16>) -> tensor<2x4x5xf16>
  // CHECK: %r2 = nn.batch_norm %x mean %c : tensor<4xf32> variance %c : tensor<4xf32> epsilon 1.000000e-05 : f64 : (tensor<2x4x5xf16>) -> tensor<2x4x5xf16>
  // GENERIC: "nn.batch_norm"(%x, %c, %c) <{epsilon = 1.000000e-05 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 1, 1>}>

  %r3, %s3 = nn.rms_norm %x dims 2 epsilon 1.0e-06 : f64 statistics : (tensor<2x4x5xf16>) -> (tensor<2x4x5xf16>, tensor<2x1x1xf32>)
  // CHECK: %r3, %s3 = nn.rms_norm %x dims 2 epsilon 1.000000e-06 : f64 statistics : (tensor<2x4x5xf16>) -> (tensor<2x4x5xf16>, tensor<2x1x1xf32>)
  // GENERIC: "nn.rms_norm"(%x) <{dims = 2 : i64, epsilon = 1.000000e-06 : f64, statistics, operandSegmentSizes = array<i32: 1, 0>}>
  func.return
}
