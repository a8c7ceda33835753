// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// CHECK-LABEL: @ops
func.func @ops(%x: tensor<2x9x9x4xi8>, %a: tensor<2x5x16xi8>, %b: tensor<2x7x16xi8>, %h: tensor<2x5x16xbf16>) {
  %w = nn.weight @w hash "1f" : tensor<4x4x3x3xi8>
  %v = nn.weight @v hash "2f" : tensor<6x16xbf16>
  %bias = nn.weight @b hash "3f" : tensor<4xi32>
  %m = nn.weight @m hash "4f" : tensor<4xi32>
  %s = nn.weight @s hash "5f" : tensor<4xi8>
  // CHECK: npu.convolution %x, %w stride 2 bias %bias : tensor<4xi32> scale %m, %s : tensor<4xi32>, tensor<4xi8> clamp 0 127 tiles <lines = 4, width = 4, columns = 4, channels = 4, keeps = none, short = last> : tensor<2x9x9x4xi8>, tensor<4x4x3x3xi8> -> tensor<2x4x4x4xi8>
  %0 = npu.convolution %x, %w stride 2 bias %bias : tensor<4xi32> scale %m, %s : tensor<4xi32>, tensor<4xi8> clamp 0 127
    tiles <lines = 4, width = 4, columns = 4, channels = 4, keeps = none, short = last> : tensor<2x9x9x4xi8>, tensor<4x4x3x3xi8> -> tensor<2x4x4x4xi8>
  // CHECK: npu.convolution %h, %v stride 1 clamp -8388608 2139095040 : tensor<2x5x16xbf16>, tensor<6x16xbf16> -> tensor<2x5x6xbf16>
  %1 = npu.convolution %h, %v stride 1 clamp -8388608 2139095040 : tensor<2x5x16xbf16>, tensor<6x16xbf16> -> tensor<2x5x6xbf16>
  // CHECK: npu.matmul %a, %b transposed clamp -128 127 : tensor<2x5x16xi8>, tensor<2x7x16xi8> -> tensor<2x5x7xi32>
  %2 = npu.matmul %a, %b transposed clamp -128 127 : tensor<2x5x16xi8>, tensor<2x7x16xi8> -> tensor<2x5x7xi32>
  // CHECK: npu.add %a, %a scale [1073741824, 30, 1073741824, 30, 1073741824, 31] clamp 0 127 block <sizes = [1, 5, 16]> : (tensor<2x5x16xi8>, tensor<2x5x16xi8>) -> tensor<2x5x16xi8>
  %3 = npu.add %a, %a scale [1073741824, 30, 1073741824, 30, 1073741824, 31] clamp 0 127 block <sizes = [1, 5, 16]> : (tensor<2x5x16xi8>, tensor<2x5x16xi8>) -> tensor<2x5x16xi8>
  // CHECK: npu.rescale %a scale [1073741824, 31] clamp 0 127 : (tensor<2x5x16xi8>) -> tensor<2x5x16xi8>
  %4 = npu.rescale %a scale [1073741824, 31] clamp 0 127 : (tensor<2x5x16xi8>) -> tensor<2x5x16xi8>
  // CHECK: npu.max_pool %x kernel [3, 3] stride 2 : (tensor<2x9x9x4xi8>) -> tensor<2x4x4x4xi8>
  %5 = npu.max_pool %x kernel [3, 3] stride 2 : (tensor<2x9x9x4xi8>) -> tensor<2x4x4x4xi8>
  // CHECK: npu.sum_pool %x kernel [9, 9] stride 1 scale [1402438300, 36] clamp -128 127 : (tensor<2x9x9x4xi8>) -> tensor<2x1x1x4xi8>
  %6 = npu.sum_pool %x kernel [9, 9] stride 1 scale [1402438300, 36] clamp -128 127 : (tensor<2x9x9x4xi8>) -> tensor<2x1x1x4xi8>
  func.return
}
