// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @gather(
  %a0: tensor<9x4xf32>,
  %a1: tensor<2x1xi64>,
  %a2: tensor<1x3xi32>,
  %a3: tensor<2x4xf32>
) {
  %r0 = nn.gather %a0 at %a1 axes [0] : (tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>
  // CHECK: %r0 = nn.gather %a0 at %a1 axes [0] : (tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>
  // GENERIC: "nn.gather"(%a0, %a1) <{axes = array<i64: 0>}> : (tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>

  %r1 = nn.gather %a0 at %a1, %a2 axes [0, 1] : (tensor<9x4xf32>, tensor<2x1xi64>, tensor<1x3xi32>) -> tensor<2x3xf32>
  // CHECK: %r1 = nn.gather %a0 at %a1, %a2 axes [0, 1] : (tensor<9x4xf32>, tensor<2x1xi64>, tensor<1x3xi32>) -> tensor<2x3xf32>
  // GENERIC: "nn.gather"(%a0, %a1, %a2) <{axes = array<i64: 0, 1>}> : (tensor<9x4xf32>, tensor<2x1xi64>, tensor<1x3xi32>) -> tensor<2x3xf32>

  %r2 = nn.scatter %a3 into %a0 at %a1 axis 0 mode "add" : (tensor<2x4xf32>, tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<9x4xf32>
  // CHECK: %r2 = nn.scatter %a3 into %a0 at %a1 axis 0 mode "add" : (tensor<2x4xf32>, tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<9x4xf32>
  // GENERIC: "nn.scatter"(%a3, %a0, %a1) <{axis = 0 : i64, mode = "add"}> : (tensor<2x4xf32>, tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<9x4xf32>
  func.return
}
