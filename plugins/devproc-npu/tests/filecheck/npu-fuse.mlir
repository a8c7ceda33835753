// RUN: devproc-opt %s -p npu-fuse | filecheck %s

!image = tensor<2x4x6x6xi8, #dev.on<"npu">>
!sums = tensor<2x4x6x6xi32, #dev.on<"npu">>
!w = tensor<4x4x3x3xi8, #dev.on<"npu">>
!i = tensor<i32, #dev.on<"npu">>
!b = tensor<i8, #dev.on<"npu">>

// A residual block keeps its channels last, and clamps are part of ops.
// CHECK-LABEL: @npu_0
// CHECK:      %[[X:.*]] = nn.transpose %x by [0, 2, 3, 1]
// CHECK-NEXT: %[[P:.*]] = nn.pad %[[X]] low [0, 1, 1, 0] high [0, 1, 1, 0]
// CHECK-NEXT: %[[C:.*]] = npu.convolution %[[P]], %w stride 1 scale %m, %s : {{.*}} clamp -128 127
// CHECK-NEXT: %[[A:.*]] = npu.add %[[C]], %[[X]] scale [1073741824, 20, 1073741824, 20, 1073741824, 40] clamp 0 6
// CHECK-NEXT: %[[R:.*]] = nn.transpose %[[A]] by [0, 3, 1, 2]
// CHECK-NEXT: func.return %[[R]]
func.func private @npu_0(%x: !image) -> !image
    attributes {dev.kernel = #dev.kernel<"npu", "region", []>} {
  %w = nn.weight @w hash "1f" : !w
  %m = nn.constant dense<1073741824> : tensor<i32> : !i
  %s = nn.constant dense<40> : tensor<i8> : !b
  %t = nn.constant dense<20> : tensor<i8> : !b
  %six = nn.constant dense<6> : tensor<i8> : !b
  %c = nn.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (!image, !w) -> !sums
  %d = nn.rescale %c, %m, %s zero 0 to i8 zero 0 clamp -128 127 : (!sums, !i, !b) -> !image
  %e = nn.rescale %d, %m, %t zero 0 to i32 zero 0 clamp -2147483648 2147483647 : (!image, !i, !b) -> !sums
  %f = nn.rescale %x, %m, %t zero 0 to i32 zero 0 clamp -2147483648 2147483647 : (!image, !i, !b) -> !sums
  %g = nn.add %e, %f : (!sums, !sums) -> !sums
  %h = nn.rescale %g, %m, %s zero 0 to i8 zero 0 clamp -128 127 : (!sums, !i, !b) -> !image
  %r = nn.relu %h : (!image) -> !image
  %o = nn.minimum %r, %six : (!image, !b) -> !image
  func.return %o : !image
}

!a = tensor<2x3x5x16xi8, #dev.on<"npu">>
!at = tensor<2x3x16x5xi8, #dev.on<"npu">>
!scores = tensor<2x3x5x5xi32, #dev.on<"npu">>

// The array transposes; a function of another device is not touched.
// CHECK-LABEL: @npu_1
// CHECK:      npu.matmul %a, %b transposed clamp -128 127
// CHECK-LABEL: @host_0
// CHECK:      nn.matmul
func.func private @npu_1(%a: !a, %b: !a) -> !scores
    attributes {dev.kernel = #dev.kernel<"npu", "region", []>} {
  %t = nn.transpose %b by [0, 1, 3, 2] : (!a) -> !at
  %r = nn.matmul %a, %t : (!a, !at) -> !scores
  func.return %r : !scores
}
func.func private @host_0(%a: tensor<2x3xi8, #dev.on<"cpu">>, %b: tensor<3x2xi8, #dev.on<"cpu">>) -> tensor<2x2xi32, #dev.on<"cpu">>
    attributes {dev.kernel = #dev.kernel<"host", "region", []>} {
  %r = nn.matmul %a, %b : (tensor<2x3xi8, #dev.on<"cpu">>, tensor<3x2xi8, #dev.on<"cpu">>) -> tensor<2x2xi32, #dev.on<"cpu">>
  func.return %r : tensor<2x2xi32, #dev.on<"cpu">>
}
