// RUN: devproc-opt %s -p cse | filecheck %s

// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<3x2xf32>) {
  // Equal weights and constants are one.
  // CHECK-NEXT: %[[W:.*]] = nn.weight @w
  // CHECK-NEXT: %[[C:.*]] = nn.constant
  %w0 = nn.weight @w hash "1f" : tensor<3xf32>
  %w1 = nn.weight @w hash "1f" : tensor<3xf32>
  %c0 = nn.constant dense<1.0> : tensor<f32> : tensor<f32>
  %c1 = nn.constant dense<1.0> : tensor<f32> : tensor<f32>
  // CHECK-NEXT: %[[A:.*]] = nn.add %{{.*}}, %[[W]]
  // CHECK-NEXT: %[[M:.*]] = nn.mul %[[A]], %[[C]]
  %a0 = nn.add %x, %w0 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %a1 = nn.add %x, %w1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %m0 = nn.mul %a0, %c0 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %m1 = nn.mul %a1, %c1 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // Other properties, another op.
  // CHECK-NEXT: %[[R0:.*]] = nn.reshape %{{.*}} to [6]
  // CHECK-NEXT: %[[R1:.*]] = nn.reshape %{{.*}} to [3, 2]
  // CHECK-NEXT: func.return %[[M]], %[[M]], %[[R0]], %[[R1]]
  %r0 = nn.reshape %x to [6] : (tensor<2x3xf32>) -> tensor<6xf32>
  %r1 = nn.reshape %x to [3, 2] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %m0, %m1, %r0, %r1 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<3x2xf32>
}
