// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @shape(
  %a0: tensor<2x3xf32>,
  %a1: tensor<2x3xf32>,
  %a2: tensor<30x8xf32>,
  %a3: tensor<2x3xf32>,
  %a4: tensor<f32>,
  %a5: tensor<2x1xf32>
) {
  %r0 = nn.reshape %a0 to [6] : (tensor<2x3xf32>) -> tensor<6xf32>
  // CHECK: %r0 = nn.reshape %a0 to [6] : (tensor<2x3xf32>) -> tensor<6xf32>
  // GENERIC: "nn.reshape"(%a0) <{shape = array<i64: 6>}> : (tensor<2x3xf32>) -> tensor<6xf32>

  %r1 = nn.transpose %a1 by [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: %r1 = nn.transpose %a1 by [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // GENERIC: "nn.transpose"(%a1) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>

  %r2 = nn.pack %a2 as #dev.layout<[0, 1], [16, 1]> : (tensor<30x8xf32>) -> tensor<2x8x16xf32>
  // CHECK: %r2 = nn.pack %a2 as #dev.layout<[0, 1], [16, 1]> : (tensor<30x8xf32>) -> tensor<2x8x16xf32>
  // GENERIC: "nn.pack"(%a2) <{layout = #dev.layout<[0, 1], [16, 1]>}> : (tensor<30x8xf32>) -> tensor<2x8x16xf32>

  %r3 = nn.pad %a3 low [0, 1] high [0, 2] : (tensor<2x3xf32>) -> tensor<2x6xf32>
  // CHECK: %r3 = nn.pad %a3 low [0, 1] high [0, 2] : (tensor<2x3xf32>) -> tensor<2x6xf32>
  // GENERIC: "nn.pad"(%a3) <{low = array<i64: 0, 1>, high = array<i64: 0, 2>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>

  %r4 = nn.pad %a3 with %a4 low [0, 1] high [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32>
  // CHECK: %r4 = nn.pad %a3 with %a4 low [0, 1] high [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32>
  // GENERIC: "nn.pad"(%a3, %a4) <{low = array<i64: 0, 1>, high = array<i64: 0, 2>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32>

  %r5 = nn.expand %a5 to [4, 2, 3] : (tensor<2x1xf32>) -> tensor<4x2x3xf32>
  // CHECK: %r5 = nn.expand %a5 to [4, 2, 3] : (tensor<2x1xf32>) -> tensor<4x2x3xf32>
  // GENERIC: "nn.expand"(%a5) <{shape = array<i64: 4, 2, 3>}> : (tensor<2x1xf32>) -> tensor<4x2x3xf32>

  %r6 = nn.slice %a3 from [0, 2] size [2, 2] step [1, -2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  // CHECK: %r6 = nn.slice %a3 from [0, 2] size [2, 2] step [1, -2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  // GENERIC: "nn.slice"(%a3) <{start = array<i64: 0, 2>, size = array<i64: 2, 2>, step = array<i64: 1, -2>}> : (tensor<2x3xf32>) -> tensor<2x2xf32>

  %r7 = nn.concat %a3, %a5 axis 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  // CHECK: %r7 = nn.concat %a3, %a5 axis 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  // GENERIC: "nn.concat"(%a3, %a5) <{axis = 1 : i64}> : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  func.return
}
