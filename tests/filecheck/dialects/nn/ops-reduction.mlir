// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @reduction(
  %a0: tensor<2x3xf32>,
  %a1: tensor<2x3xf32>,
  %a2: tensor<2x3xf32>,
  %a3: tensor<2x3xf32>,
  %a4: tensor<2x3xi32>
) {
  %r0 = nn.reduce_sum %a0 axes [1] keep 0 : (tensor<2x3xf32>) -> tensor<2xf32>
  // CHECK: %r0 = nn.reduce_sum %a0 axes [1] keep 0 : (tensor<2x3xf32>) -> tensor<2xf32>
  // GENERIC: "nn.reduce_sum"(%a0) <{axes = array<i64: 1>, keep = 0 : i64}> : (tensor<2x3xf32>) -> tensor<2xf32>

  %r1 = nn.reduce_max %a1 axes [0, 1] keep 1 : (tensor<2x3xf32>) -> tensor<1x1xf32>
  // CHECK: %r1 = nn.reduce_max %a1 axes [0, 1] keep 1 : (tensor<2x3xf32>) -> tensor<1x1xf32>
  // GENERIC: "nn.reduce_max"(%a1) <{axes = array<i64: 0, 1>, keep = 1 : i64}> : (tensor<2x3xf32>) -> tensor<1x1xf32>

  %r2 = nn.argmax %a2 axis 1 keep 0 : (tensor<2x3xf32>) -> tensor<2xi64>
  // CHECK: %r2 = nn.argmax %a2 axis 1 keep 0 : (tensor<2x3xf32>) -> tensor<2xi64>
  // GENERIC: "nn.argmax"(%a2) <{axis = 1 : i64, keep = 0 : i64}> : (tensor<2x3xf32>) -> tensor<2xi64>

  %r3 = nn.softmax %a3 axis -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r3 = nn.softmax %a3 axis -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.softmax"(%a3) <{axis = -1 : i64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>

  %r4 = nn.reduce_prod %a4 axes [1] keep 0 : (tensor<2x3xi32>) -> tensor<2xi32>
  // CHECK: %r4 = nn.reduce_prod %a4 axes [1] keep 0 : (tensor<2x3xi32>) -> tensor<2xi32>
  // GENERIC: "nn.reduce_prod"(%a4) <{axes = array<i64: 1>, keep = 0 : i64}> : (tensor<2x3xi32>) -> tensor<2xi32>

  %r5 = nn.log_softmax %a3 axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %r5 = nn.log_softmax %a3 axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.log_softmax"(%a3) <{axis = 0 : i64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
