// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @compare(
  %a0: tensor<2x3xf32>,
  %a1: tensor<3xf32>,
  %a2: tensor<2x3xf32>,
  %a3: tensor<3xf32>,
  %a4: tensor<2x3xf32>,
  %a5: tensor<3xf32>,
  %a6: tensor<2x3xi1>,
  %a7: tensor<3xf32>,
  %a8: tensor<f32>,
  %a9: tensor<2x3xi32>,
  %a10: tensor<3xi32>,
  %a11: tensor<2x3xi32>,
  %a12: tensor<3xi32>,
  %a13: tensor<2x3xi32>,
  %a14: tensor<3xi32>,
  %a15: tensor<2x3xi32>,
  %a16: tensor<3xi32>,
  %a17: tensor<2x3xi32>,
  %a18: tensor<3xi32>
) {
  %r0 = nn.eq %a0, %a1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: %r0 = nn.eq %a0, %a1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // GENERIC: "nn.eq"(%a0, %a1) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>

  %r1 = nn.lt %a2, %a3 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: %r1 = nn.lt %a2, %a3 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // GENERIC: "nn.lt"(%a2, %a3) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>

  %r2 = nn.le %a4, %a5 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: %r2 = nn.le %a4, %a5 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // GENERIC: "nn.le"(%a4, %a5) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>

  %r3 = nn.where %a6, %a7, %a8 : (tensor<2x3xi1>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // CHECK: %r3 = nn.where %a6, %a7, %a8 : (tensor<2x3xi1>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // GENERIC: "nn.where"(%a6, %a7, %a8) : (tensor<2x3xi1>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>

  %r4 = nn.and %a9, %a10 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: %r4 = nn.and %a9, %a10 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // GENERIC: "nn.and"(%a9, %a10) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>

  %r5 = nn.or %a11, %a12 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: %r5 = nn.or %a11, %a12 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // GENERIC: "nn.or"(%a11, %a12) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>

  %r6 = nn.xor %a13, %a14 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: %r6 = nn.xor %a13, %a14 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // GENERIC: "nn.xor"(%a13, %a14) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>

  %r7 = nn.shift_left %a15, %a16 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: %r7 = nn.shift_left %a15, %a16 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // GENERIC: "nn.shift_left"(%a15, %a16) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>

  %r8 = nn.shift_right %a17, %a18 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: %r8 = nn.shift_right %a17, %a18 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // GENERIC: "nn.shift_right"(%a17, %a18) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  func.return
}
