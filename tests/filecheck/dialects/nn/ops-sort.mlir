// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @sort(%a0: tensor<2x3xf32>) {
  %v, %i = nn.sort %a0 descending 1 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  // CHECK: %v, %i = nn.sort %a0 descending 1 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  // GENERIC: "nn.sort"(%a0) <{descending = 1 : i64}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  func.return
}

func.func @kth_value(%a0: tensor<2x3xf32>, %k: tensor<2x2xi64>) {
  %v, %i = nn.kth_value %a0 at %k : (tensor<2x3xf32>, tensor<2x2xi64>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  // CHECK: %v, %i = nn.kth_value %a0 at %k : (tensor<2x3xf32>, tensor<2x2xi64>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  // GENERIC: "nn.kth_value"(%a0, %k) : (tensor<2x3xf32>, tensor<2x2xi64>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  func.return
}
