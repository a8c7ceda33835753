// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @activations(%x: tensor<2x3xf16>) {
  %r0 = nn.gelu %x approximate "tanh" : (tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: %r0 = nn.gelu %x approximate "tanh" : (tensor<2x3xf16>) -> tensor<2x3xf16>
  // GENERIC: "nn.gelu"(%x) <{approximate = "tanh"}> : (tensor<2x3xf16>) -> tensor<2x3xf16>

  %r1 = nn.hardsigmoid %x : (tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: %r1 = nn.hardsigmoid %x : (tensor<2x3xf16>) -> tensor<2x3xf16>
  // GENERIC: "nn.hardsigmoid"(%x) : (tensor<2x3xf16>) -> tensor<2x3xf16>

  %r2 = nn.hardswish %x : (tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: %r2 = nn.hardswish %x : (tensor<2x3xf16>) -> tensor<2x3xf16>
  // GENERIC: "nn.hardswish"(%x) : (tensor<2x3xf16>) -> tensor<2x3xf16>

  %r3 = nn.silu %x : (tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: %r3 = nn.silu %x : (tensor<2x3xf16>) -> tensor<2x3xf16>
  // GENERIC: "nn.silu"(%x) : (tensor<2x3xf16>) -> tensor<2x3xf16>
  func.return
}
