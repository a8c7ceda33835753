// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @contraction(
  %a0: tensor<4x2x3xf32>,
  %a1: tensor<3x5xf32>,
  %a2: tensor<2x8xf32>,
  %a3: tensor<4x8xf32>,
  %a4: tensor<2x8xf32>,
  %a5: tensor<4x8xf32>,
  %a6: tensor<4xf32>,
  %a7: tensor<64x8xf32>,
  %a8: tensor<30x64xf32>,
  %a9: tensor<3x3x8x20xf32>,
  %a10: tensor<2x8xi8>,
  %a11: tensor<4x8xi8>,
  %a12: tensor<4xi32>,
  %a13: tensor<8x5xi8>,
  %a14: tensor<30x2x32xi8>,
  %a15: tensor<30x2x1xf16>
) {
  %r0 = nn.matmul %a0, %a1 : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>
  // CHECK: %r0 = nn.matmul %a0, %a1 : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>
  // GENERIC: "nn.matmul"(%a0, %a1) : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>

  %r1 = nn.linear %a2, %a3 : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  // CHECK: %r1 = nn.linear %a2, %a3 : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  // GENERIC: "nn.linear"(%a2, %a3) : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>

  %r2 = nn.linear %a4, %a5 bias %a6 : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // CHECK: %r2 = nn.linear %a4, %a5 bias %a6 : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // GENERIC: "nn.linear"(%a4, %a5, %a6) : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>

  %r3 = nn.pack %a7 as #dev.strassen<16> : (tensor<64x8xf32>) -> tensor<2x7x4x16xf32>
  // CHECK: %r3 = nn.pack %a7 as #dev.strassen<16> : (tensor<64x8xf32>) -> tensor<2x7x4x16xf32>
  // GENERIC: "nn.pack"(%a7) <{layout = #dev.strassen<16>}> : (tensor<64x8xf32>) -> tensor<2x7x4x16xf32>

  %r4 = nn.pack %a8 as #dev.block_float<16, 32> : (tensor<30x64xf32>) -> tensor<2x2x400xf32>
  // CHECK: %r4 = nn.pack %a8 as #dev.block_float<16, 32> : (tensor<30x64xf32>) -> tensor<2x2x400xf32>
  // GENERIC: "nn.pack"(%a8) <{layout = #dev.block_float<16, 32>}> : (tensor<30x64xf32>) -> tensor<2x2x400xf32>

  %r5 = nn.pack %a8 as #dev.inner_product<16, 24> : (tensor<30x64xf32>) -> tensor<2x68x16xf32>
  // CHECK: %r5 = nn.pack %a8 as #dev.inner_product<16, 24> : (tensor<30x64xf32>) -> tensor<2x68x16xf32>
  // GENERIC: "nn.pack"(%a8) <{layout = #dev.inner_product<16, 24>}> : (tensor<30x64xf32>) -> tensor<2x68x16xf32>

  %r10 = nn.pack %a14 by %a15 as #dev.weight_only<int4, 32, 16> : (tensor<30x2x32xi8>, tensor<30x2x1xf16>) -> tensor<2x2x72xf32>
  // CHECK: %r10 = nn.pack %a14 by %a15 as #dev.weight_only<int4, 32, 16> : (tensor<30x2x32xi8>, tensor<30x2x1xf16>) -> tensor<2x2x72xf32>
  // GENERIC: "nn.pack"(%a14, %a15) <{layout = #dev.weight_only<int4, 32, 16>}> : (tensor<30x2x32xi8>, tensor<30x2x1xf16>) -> tensor<2x2x72xf32>

  // Filters: outputs are their last dimension.
  %r6 = nn.pack %a9 as #dev.inner_product<8, 24> : (tensor<3x3x8x20xf32>) -> tensor<3x77x8xf32>
  // CHECK: %r6 = nn.pack %a9 as #dev.inner_product<8, 24> : (tensor<3x3x8x20xf32>) -> tensor<3x77x8xf32>
  // GENERIC: "nn.pack"(%a9) <{layout = #dev.inner_product<8, 24>}> : (tensor<3x3x8x20xf32>) -> tensor<3x77x8xf32>

  %r7 = nn.linear %a10, %a11 bias %a12 : (tensor<2x8xi8>, tensor<4x8xi8>, tensor<4xi32>) -> tensor<2x4xi32>
  // CHECK: %r7 = nn.linear %a10, %a11 bias %a12 : (tensor<2x8xi8>, tensor<4x8xi8>, tensor<4xi32>) -> tensor<2x4xi32>
  // GENERIC: "nn.linear"(%a10, %a11, %a12) : (tensor<2x8xi8>, tensor<4x8xi8>, tensor<4xi32>) -> tensor<2x4xi32>

  %r8 = nn.matmul %a10, %a13 : (tensor<2x8xi8>, tensor<8x5xi8>) -> tensor<2x5xi32>
  // CHECK: %r8 = nn.matmul %a10, %a13 : (tensor<2x8xi8>, tensor<8x5xi8>) -> tensor<2x5xi32>
  // GENERIC: "nn.matmul"(%a10, %a13) : (tensor<2x8xi8>, tensor<8x5xi8>) -> tensor<2x5xi32>
  func.return
}
