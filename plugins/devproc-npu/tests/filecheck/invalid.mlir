// RUN: devproc-opt %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s

func.func @a(%x: tensor<1x5x5x4xi8>) {
  %w = nn.weight @w hash "1f" : tensor<4x3x3x3xi8>
  // CHECK: 4 channels, the weight expects 3
  %0 = npu.convolution %x, %w stride 1 clamp 0 1 : tensor<1x5x5x4xi8>, tensor<4x3x3x3xi8> -> tensor<1x3x3x4xi32>
  func.return
}

// -----

func.func @b(%x: tensor<1x5x5x4xi8>) {
  %w = nn.weight @w hash "1f" : tensor<4x4x3x3xbf16>
  // CHECK: npu.convolution takes int8 or bfloat16 operands of one type
  %0 = npu.convolution %x, %w stride 1 clamp 0 1 : tensor<1x5x5x4xi8>, tensor<4x4x3x3xbf16> -> tensor<1x3x3x4xi32>
  func.return
}

// -----

func.func @c(%x: tensor<512x512xi8>) {
  %w = nn.weight @w hash "1f" : tensor<512x512xi8>
  // CHECK: takes {{[0-9]+}} bytes of the scratchpad and 16384 rows of the accumulator; there are 262144 and 1024
  %0 = npu.convolution %x, %w stride 1 clamp 0 1 tiles <lines = 1, width = 512, columns = 512, channels = 512, keeps = none, short = last> : tensor<512x512xi8>, tensor<512x512xi8> -> tensor<512x512xi32>
  func.return
}

// -----

func.func @d(%a: tensor<2x5x16xi8>, %b: tensor<3x16x5xi8>) {
  // CHECK: the products are (2,) left, (3,) right
  %0 = npu.matmul %a, %b clamp 0 1 : tensor<2x5x16xi8>, tensor<3x16x5xi8> -> tensor<2x5x5xi32>
  func.return
}

// -----

func.func @e(%a: tensor<2x5xi8>) {
  // CHECK: the scale has 6 numbers here
  %0 = npu.add %a, %a scale [1, 2] clamp 0 1 : (tensor<2x5xi8>, tensor<2x5xi8>) -> tensor<2x5xi8>
  func.return
}

// -----

func.func @f(%a: tensor<2048x2048xi8>) {
  // CHECK: does not fit the machine or the result
  %0 = npu.rescale %a scale [1, 2] clamp 0 1 block <sizes = [2048, 2048]> : (tensor<2048x2048xi8>) -> tensor<2048x2048xi8>
  func.return
}

// -----

func.func @g(%x: tensor<1x5x5x4xi8>) {
  // CHECK: windows (6, 6) do not fit
  %0 = npu.max_pool %x kernel [6, 6] stride 1 : (tensor<1x5x5x4xi8>) -> tensor<1x1x1x4xi8>
  func.return
}
