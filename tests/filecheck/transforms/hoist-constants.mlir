// RUN: devproc-opt %s --split-input-file -p hoist-constants --print-debuginfo | filecheck %s

// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<4x7xui8>, %y: tensor<2x3xf32>) -> (tensor<4x9xui8>, tensor<2x3xf32>, tensor<3xf32>) {
  // Both results of an op without operands; a location comes along.
  // CHECK-NEXT: %[[F:.*]] = nn.weight @prepare.0 hash "{{[0-9a-f]+}}" : tensor<9xi32> loc("resize")
  // CHECK-NEXT: %[[T:.*]] = nn.weight @prepare.1 hash "{{[0-9a-f]+}}" : tensor<9x2xi32> loc("resize")
  // CHECK-NEXT: %[[R:.*]] = nn.resample %{{.*}}, %[[F]], %[[T]] axis 1
  %f, %t = nn.resample_taps 7 to 9 mode "bilinear" like "pillow" as "int32" : tensor<9xi32>, tensor<9x2xi32> loc("resize")
  %r = nn.resample %x, %f, %t axis 1 : (tensor<4x7xui8>, tensor<9xi32>, tensor<9x2xi32>) -> tensor<4x9xui8>
  // A weight or constant that the program itself reads stays.
  // CHECK-NEXT: %[[W:.*]] = nn.weight @w
  // CHECK-NEXT: %[[S:.*]] = nn.mul %{{.*}}, %[[W]]
  %w = nn.weight @w hash "1f" : tensor<3xf32>
  %s = nn.mul %y, %w : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %[[V:.*]] = nn.weight @prepare.2 hash
  // CHECK-NEXT: %[[A:.*]] = nn.add %[[S]], %[[V]]
  %one = nn.constant dense<1.0> : tensor<f32> : tensor<f32>
  %u = nn.add %w, %one : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %v = nn.exp %u : (tensor<3xf32>) -> tensor<3xf32>
  %a = nn.add %s, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // A value that is used on the way and returned is prepared once.
  // CHECK-NEXT: func.return %[[R]], %[[A]], %[[V]]
  func.return %r, %a, %v : tensor<4x9xui8>, tensor<2x3xf32>, tensor<3xf32>
}
// CHECK: func.func private @prepare() -> (tensor<9xi32>, tensor<9x2xi32>, tensor<3xf32>) {
// CHECK-NEXT: %[[PF:.*]], %[[PT:.*]] = nn.resample_taps
// CHECK-NEXT: %[[PW:.*]] = nn.weight @w hash "1f"
// CHECK-NEXT: %[[PO:.*]] = nn.constant
// CHECK-NEXT: %[[PU:.*]] = nn.add %[[PW]], %[[PO]]
// CHECK-NEXT: %[[PV:.*]] = nn.exp %[[PU]]
// CHECK-NEXT: func.return %[[PF]], %[[PT]], %[[PV]]

// -----

// Nothing to do: no @prepare.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: @prepare
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = nn.weight @w hash "1f" : tensor<3xf32>
  %0 = nn.add %x, %w : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}

// -----

// An existing @prepare grows; a prepared weight is the value that it names.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: nn.weight @prepare.1 hash
  %w = nn.weight @"prepare.0" hash "1f" : tensor<3xf32>
  %e = nn.exp %w : (tensor<3xf32>) -> tensor<3xf32>
  %0 = nn.add %x, %e : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}
// CHECK: func.func private @prepare() -> (tensor<3xf32>, tensor<3xf32>) {
// CHECK-NEXT: %[[W:.*]] = nn.weight @w
// CHECK-NEXT: %[[R:.*]] = nn.relu %[[W]]
// CHECK-NEXT: %[[E:.*]] = nn.exp %[[R]]
// CHECK-NEXT: func.return %[[R]], %[[E]]
func.func private @prepare() -> tensor<3xf32> {
  %w = nn.weight @w hash "2f" : tensor<3xf32>
  %r = nn.relu %w : (tensor<3xf32>) -> tensor<3xf32>
  func.return %r : tensor<3xf32>
}
