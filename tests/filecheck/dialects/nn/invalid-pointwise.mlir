// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: do not broadcast
func.func @main(%0: tensor<2x3xf32>, %1: tensor<4xf32>) {
  %r = nn.add %0, %1 : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: shapes (2, 3) and (3, 2) do not broadcast
func.func @main(%0: tensor<2x3xf32>, %1: tensor<3x2xf32>) {
  %r = nn.add %0, %1 : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: do not broadcast
func.func @main(%0: tensor<2x3xf32>, %1: tensor<4xf32>) {
  %r = nn.sub %0, %1 : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: shapes (2, 3) and (3, 2) do not broadcast
func.func @main(%0: tensor<2x3xf32>, %1: tensor<3x2xf32>) {
  %r = nn.sub %0, %1 : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: do not broadcast
func.func @main(%0: tensor<2x3xf32>, %1: tensor<4xf32>) {
  %r = nn.mul %0, %1 : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: shapes (2, 3) and (3, 2) do not broadcast
func.func @main(%0: tensor<2x3xf32>, %1: tensor<3x2xf32>) {
  %r = nn.mul %0, %1 : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: do not broadcast
func.func @main(%0: tensor<2x3xf32>, %1: tensor<4xf32>) {
  %r = nn.div %0, %1 : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: shapes (2, 3) and (3, 2) do not broadcast
func.func @main(%0: tensor<2x3xf32>, %1: tensor<3x2xf32>) {
  %r = nn.div %0, %1 : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: takes a floating-point operand
func.func @main(%0: tensor<2xi1>) {
  %r = nn.exp %0 : (tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: takes a floating-point operand
func.func @main(%0: tensor<2xi8>) {
  %r = nn.exp %0 : (tensor<2xi8>) -> tensor<2xi8>
  func.return
}

// -----

// CHECK: takes a floating-point operand
func.func @main(%0: tensor<2xi1>) {
  %r = nn.sqrt %0 : (tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: takes a floating-point operand
func.func @main(%0: tensor<2xi8>) {
  %r = nn.sqrt %0 : (tensor<2xi8>) -> tensor<2xi8>
  func.return
}

// -----

// CHECK: nn.relu does not take a bool operand
func.func @main(%0: tensor<2xi1>) {
  %r = nn.relu %0 : (tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: result 0 must be float32 (2)
func.func @main(%0: tensor<2xf32>) {
  %r = nn.relu %0 : (tensor<2xf32>) -> tensor<2x1xf32>
  func.return
}

// -----

// CHECK: unknown dtype
func.func @main(%0: tensor<2xf32>) {
  %r = nn.cast %0 to i4 : (tensor<2xf32>) -> tensor<2xi4>
  func.return
}

// -----

// CHECK: unknown dtype
func.func @main(%0: tensor<2xf32>) {
  %r = nn.cast %0 to ui32 : (tensor<2xf32>) -> tensor<2xui32>
  func.return
}

// -----

// CHECK: nn.bitcast from f32 to i16: the widths differ
func.func @main(%0: tensor<2xf32>) {
  %r = nn.bitcast %0 to i16 : (tensor<2xf32>) -> tensor<2xi16>
  func.return
}

// -----

// CHECK: nn.bitcast does not take or give bool
func.func @main(%0: tensor<2xi1>) {
  %r = nn.bitcast %0 to i8 : (tensor<2xi1>) -> tensor<2xi8>
  func.return
}
