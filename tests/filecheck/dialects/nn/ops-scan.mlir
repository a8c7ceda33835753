// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @scans(%a0: tensor<2x3xf32>, %a1: tensor<2x3xui8>) {
  %0 = nn.cumsum %a0 axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %0 = nn.cumsum %a0 axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // GENERIC: "nn.cumsum"(%a0) <{axis = 1 : i64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.cumprod %a1 axis -1 : (tensor<2x3xui8>) -> tensor<2x3xui8>
  // CHECK: %1 = nn.cumprod %a1 axis -1 : (tensor<2x3xui8>) -> tensor<2x3xui8>
  %2 = nn.logcumsumexp %a0 axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %2 = nn.logcumsumexp %a0 axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %v, %i = nn.cummax %a1 axis 1 : (tensor<2x3xui8>) -> (tensor<2x3xui8>, tensor<2x3xi64>)
  // CHECK: %v, %i = nn.cummax %a1 axis 1 : (tensor<2x3xui8>) -> (tensor<2x3xui8>, tensor<2x3xi64>)
  %w, %j = nn.cummin %a0 axis 1 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  // CHECK: %w, %j = nn.cummin %a0 axis 1 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  func.return
}
