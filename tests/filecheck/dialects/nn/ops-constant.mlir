// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @constant() {
  %c = nn.constant dense<2.550000e+02> : tensor<f32> : tensor<f32>
  // CHECK: %c = nn.constant dense<2.550000e+02> : tensor<f32> : tensor<f32>
  // GENERIC: "nn.constant"() <{value = dense<2.550000e+02> : tensor<f32>}> : () -> tensor<f32>

  %d = nn.constant dense<[1, -2]> : tensor<2xi64> : tensor<2xi64>
  // CHECK: %d = nn.constant dense<[1, -2]> : tensor<2xi64> : tensor<2xi64>
  // GENERIC: "nn.constant"() <{value = dense<[1, -2]> : tensor<2xi64>}> : () -> tensor<2xi64>

  %w = nn.weight @fc1.weight hash "9f86d0" : tensor<10x64xf32>
  // CHECK: %w = nn.weight @fc1.weight hash "9f86d0" : tensor<10x64xf32>
  // GENERIC: "nn.weight"() <{key = @fc1.weight, hash = "9f86d0"}> : () -> tensor<10x64xf32>
  func.return
}
