// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @elementary(
  %a0: tensor<2x3xf32>,
  %a1: tensor<2x3xf32>,
  %a2: tensor<2x3xf32>,
  %a3: tensor<2x3xf32>,
  %a4: tensor<2x3xf32>,
  %a5: tensor<2x3xf32>,
  %a6: tensor<2x3xf32>,
  %a7: tensor<2x3xf32>,
  %a8: tensor<2x3xf32>,
  %a9: tensor<2x3xf32>,
  %a10: tensor<2x3xf32>,
  %a11: tensor<2x3xf32>,
  %a12: tensor<2x3xf32>,
  %a13: tensor<2x3xf32>,
  %a14: tensor<2x3xf32>,
  %a15: tensor<2x3xf32>,
  %a16: tensor<2x3xf32>,
  %a17: tensor<2x3xf32>,
  %a18: tensor<2x3xf32>,
  %a19: tensor<2x3xf32>,
  %a20: tensor<2x3xf32>,
  %a21: tensor<2x3xf32>,
  %a22: tensor<2x3xf32>,
  %a23: tensor<2x3xf32>,
  %a24: tensor<3xf32>,
  %a25: tensor<2x3xf32>,
  %a26: tensor<3xf32>
) {
  %r0 = nn.acos %a0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r0 = nn.acos %a0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.acos"(%a0) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r1 = nn.acosh %a1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r1 = nn.acosh %a1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.acosh"(%a1) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r2 = nn.asin %a2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r2 = nn.asin %a2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.asin"(%a2) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r3 = nn.asinh %a3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r3 = nn.asinh %a3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.asinh"(%a3) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r4 = nn.atan %a4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r4 = nn.atan %a4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.atan"(%a4) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r5 = nn.atanh %a5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r5 = nn.atanh %a5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.atanh"(%a5) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r6 = nn.ceil %a6 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r6 = nn.ceil %a6 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.ceil"(%a6) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r7 = nn.cos %a7 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r7 = nn.cos %a7 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.cos"(%a7) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r8 = nn.cosh %a8 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r8 = nn.cosh %a8 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.cosh"(%a8) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r9 = nn.erf %a9 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r9 = nn.erf %a9 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.erf"(%a9) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r10 = nn.exp2 %a10 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r10 = nn.exp2 %a10 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.exp2"(%a10) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r11 = nn.expm1 %a11 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r11 = nn.expm1 %a11 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.expm1"(%a11) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r12 = nn.floor %a12 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r12 = nn.floor %a12 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.floor"(%a12) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r13 = nn.log %a13 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r13 = nn.log %a13 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.log"(%a13) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r14 = nn.log10 %a14 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r14 = nn.log10 %a14 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.log10"(%a14) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r15 = nn.log1p %a15 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r15 = nn.log1p %a15 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.log1p"(%a15) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r16 = nn.log2 %a16 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r16 = nn.log2 %a16 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.log2"(%a16) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r17 = nn.round %a17 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r17 = nn.round %a17 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.round"(%a17) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r18 = nn.sin %a18 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r18 = nn.sin %a18 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.sin"(%a18) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r19 = nn.sinh %a19 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r19 = nn.sinh %a19 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.sinh"(%a19) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r20 = nn.tan %a20 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r20 = nn.tan %a20 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.tan"(%a20) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r21 = nn.tanh %a21 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r21 = nn.tanh %a21 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.tanh"(%a21) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r22 = nn.trunc %a22 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r22 = nn.trunc %a22 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.trunc"(%a22) : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r23 = nn.pow %a23, %a24 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: %r23 = nn.pow %a23, %a24 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.pow"(%a23, %a24) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>

  %r24 = nn.atan2 %a25, %a26 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: %r24 = nn.atan2 %a25, %a26 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.atan2"(%a25, %a26) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}
