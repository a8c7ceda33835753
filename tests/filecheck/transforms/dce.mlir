// RUN: devproc-opt %s -p dce | filecheck %s

// Every nn op is pure: what nobody reads goes, in chains too.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<1x3x8x8xf32>
// CHECK-NEXT: %[[R:.*]] = nn.relu %[[X]]
// CHECK-NEXT: func.return %[[R]]
func.func @main(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  %w = nn.weight @w hash "1f" : tensor<4x3x3x3xf32>
  %c = nn.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  %p = nn.max_pool2d %c kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0 : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %s = nn.reduce_sum %p axes [1] keep 0 : (tensor<1x4x4x4xf32>) -> tensor<1x4x4xf32>
  %a = nn.argmax %s axis 2 keep 0 : (tensor<1x4x4xf32>) -> tensor<1x4xi64>
  %f, %t = nn.resample_taps 8 to 9 mode "box" like "pillow" as "float64" : tensor<9xi32>, tensor<9x1xf64>
  %k = nn.constant dense<1> : tensor<i32> : tensor<i32>
  %r = nn.relu %x : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  func.return %r : tensor<1x3x8x8xf32>
}
