// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @pointwise(
  %a0: tensor<2x3xf32>,
  %a1: tensor<3xf32>,
  %a2: tensor<2x3xf32>,
  %a3: tensor<3xf32>,
  %a4: tensor<2x3xi32>,
  %a5: tensor<3xi32>,
  %a6: tensor<2x3xf32>,
  %a7: tensor<3xf32>,
  %a8: tensor<2x3xf32>,
  %a9: tensor<2x3xf32>,
  %a10: tensor<2x3xf32>,
  %a11: tensor<2x3xui8>,
  %a12: tensor<2x3xi32>,
  %a13: tensor<3xi32>,
  %a14: tensor<2x3xi32>,
  %a15: tensor<3xi32>,
  %a16: tensor<2x3xf32>,
  %a17: tensor<3xf32>,
  %a18: tensor<2x3xf32>,
  %a19: tensor<3xf32>,
  %a20: tensor<2x3xf32>,
  %a21: tensor<2x3xf32>
) {
  %r0 = nn.add %a0, %a1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: %r0 = nn.add %a0, %a1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.add"(%a0, %a1) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>

  %r1 = nn.sub %a2, %a3 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: %r1 = nn.sub %a2, %a3 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.sub"(%a2, %a3) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>

  %r2 = nn.mul %a4, %a5 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: %r2 = nn.mul %a4, %a5 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // GENERIC: "nn.mul"(%a4, %a5) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>

  %r3 = nn.div %a6, %a7 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: %r3 = nn.div %a6, %a7 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.div"(%a6, %a7) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>

  %r4 = nn.sqrt %a8 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r4 = nn.sqrt %a8 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.sqrt"(%a8) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r5 = nn.exp %a9 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r5 = nn.exp %a9 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.exp"(%a9) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r6 = nn.relu %a10 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r6 = nn.relu %a10 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.relu"(%a10) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r7 = nn.cast %a11 to f32 : (tensor<2x3xui8>) -> tensor<2x3xf32>
  // CHECK: %r7 = nn.cast %a11 to f32 : (tensor<2x3xui8>) -> tensor<2x3xf32>
  // GENERIC: "nn.cast"(%a11) <{dtype = f32}> : (tensor<2x3xui8>) -> tensor<2x3xf32>

  %r8 = nn.quotient %a12, %a13 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: %r8 = nn.quotient %a12, %a13 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // GENERIC: "nn.quotient"(%a12, %a13) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>

  %r9 = nn.remainder %a14, %a15 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: %r9 = nn.remainder %a14, %a15 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // GENERIC: "nn.remainder"(%a14, %a15) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>

  %r10 = nn.maximum %a16, %a17 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: %r10 = nn.maximum %a16, %a17 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.maximum"(%a16, %a17) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>

  %r11 = nn.minimum %a18, %a19 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: %r11 = nn.minimum %a18, %a19 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.minimum"(%a18, %a19) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>

  %r12 = nn.abs %a20 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r12 = nn.abs %a20 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.abs"(%a20) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r13 = nn.bitcast %a21 to i32 : (tensor<2x3xf32>) -> tensor<2x3xi32>
  // CHECK: %r13 = nn.bitcast %a21 to i32 : (tensor<2x3xf32>) -> tensor<2x3xi32>
  // GENERIC: "nn.bitcast"(%a21) <{dtype = i32}> : (tensor<2x3xf32>) -> tensor<2x3xi32>
  func.return
}
