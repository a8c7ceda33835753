// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: nn.matmul sums over 3 elements on the left and 4 on the right
func.func @main(%0: tensor<2x3xf32>, %1: tensor<4x5xf32>) {
  %r = nn.matmul %0, %1 : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  func.return
}

// -----

// CHECK: needs rank 2 and above
func.func @main(%0: tensor<3xf32>, %1: tensor<3x5xf32>) {
  %r = nn.matmul %0, %1 : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  func.return
}

// -----

// CHECK: the input has 8 features, the weight expects 7
func.func @main(%0: tensor<2x8xf32>, %1: tensor<4x7xf32>) {
  %r = nn.linear %0, %1 : (tensor<2x8xf32>, tensor<4x7xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: the weight must have rank 2
func.func @main(%0: tensor<2x8xf32>, %1: tensor<8xf32>) {
  %r = nn.linear %0, %1 : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: '#dev.weight_only<int8, 32, 16>': integers have scales, unsigned ones zero points too, floats have neither
func.func @main(%q: tensor<30x2x32xi8>) {
  %r = nn.pack %q as #dev.weight_only<int8, 32, 16> : (tensor<30x2x32xi8>) -> tensor<2x2x136xf32>
  func.return
}

// -----

// CHECK: '#dev.weight_only<bfloat16, 32, 16>' packs bfloat16, not f32
func.func @main(%w: tensor<30x64xf32>) {
  %r = nn.pack %w as #dev.weight_only<bfloat16, 32, 16> : (tensor<30x64xf32>) -> tensor<2x2x256xf32>
  func.return
}
