// RUN: devproc-opt %s -p npu-choose-tiles | filecheck %s

!x = tensor<1x58x58x64xi8, #dev.on<"npu">>
!w = tensor<64x64x3x3xi8, #dev.on<"npu">>
!y = tensor<1x56x56x64xi32, #dev.on<"npu">>
!p = tensor<1x28x28x64xi8, #dev.on<"npu">>

// CHECK: npu.convolution {{.*}} tiles <lines = 1, width = 56, columns = 32, channels = 64, keeps = none, short = last>
// A schedule that is there stays.
// CHECK: npu.convolution {{.*}} tiles <lines = 2, width = 56, columns = 16, channels = 16, keeps = none, short = last>
// The largest block that fits with its windows.
// CHECK: npu.max_pool {{.*}} block <sizes = [1, 9, 28, 64]>
func.func private @npu_0(%x: !x) -> (!y, !y, !p)
    attributes {dev.kernel = #dev.kernel<"npu", "region", []>} {
  %w = nn.weight @w hash "1f" : !w
  %a = npu.convolution %x, %w stride 1 clamp -128 127 : !x, !w -> !y
  %b = npu.convolution %x, %w stride 1 clamp -128 127
    tiles <lines = 2, width = 56, columns = 16, channels = 16, keeps = none, short = last> : !x, !w -> !y
  %c = npu.max_pool %x kernel [3, 3] stride 2 : (!x) -> !p
  func.return %a, %b, %c : !y, !y, !p
}
