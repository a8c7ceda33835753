// RUN: devproc-opt %s -p canonicalize --print-debuginfo | filecheck %s

// CHECK-LABEL: func.func @shape(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<2x3x4xf32>
func.func @shape(%x: tensor<2x3x4xf32>) -> (tensor<24xf32>, tensor<2x3x4xf32>, tensor<3x2x4xf32>, tensor<2x3x4xf32>, tensor<5x6x4xf32>) {
  // A reshape of a reshape, at the place of the outer one.
  // CHECK-NEXT: %[[A:.*]] = nn.reshape %[[X]] to [24] : (tensor<2x3x4xf32>) -> tensor<24xf32> loc("outer")
  %0 = nn.reshape %x to [3, 8] : (tensor<2x3x4xf32>) -> tensor<3x8xf32> loc("inner")
  %1 = nn.reshape %0 to [24] : (tensor<3x8xf32>) -> tensor<24xf32> loc("outer")
  // A reshape to the same shape.
  %2 = nn.reshape %x to [2, 3, 4] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // Transposes compose.
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %[[X]] by [1, 0, 2]
  %3 = nn.transpose %x by [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %4 = nn.transpose %3 by [2, 1, 0] : (tensor<4x2x3xf32>) -> tensor<3x2x4xf32>
  // A transpose there and back, and a pad by nothing.
  %5 = nn.transpose %4 by [1, 0, 2] : (tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  %6 = nn.pad %5 low [0, 0, 0] high [0, 0, 0] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // Pads add up.
  // CHECK-NEXT: %[[P:.*]] = nn.pad %[[X]] low [1, 1, 0] high [2, 2, 0]
  %7 = nn.pad %x low [1, 0, 0] high [0, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x5x4xf32>
  %8 = nn.pad %7 low [0, 1, 0] high [2, 0, 0] : (tensor<3x5x4xf32>) -> tensor<5x6x4xf32>
  // CHECK-NEXT: func.return %[[A]], %[[X]], %[[T]], %[[X]], %[[P]]
  func.return %1, %2, %4, %6, %8 : tensor<24xf32>, tensor<2x3x4xf32>, tensor<3x2x4xf32>, tensor<2x3x4xf32>, tensor<5x6x4xf32>
}

// A transpose that moves dimensions of size 1 only is a reshape.
// CHECK-LABEL: func.func @transpose_of_one(
func.func @transpose_of_one(%x: tensor<2x3x1xf32>) -> tensor<2x1x3xf32> {
  // CHECK-NEXT: nn.reshape %{{.*}} to [2, 1, 3]
  %0 = nn.transpose %x by [0, 2, 1] : (tensor<2x3x1xf32>) -> tensor<2x1x3xf32>
  func.return %0 : tensor<2x1x3xf32>
}

// What leaves every bit as it is goes.
// CHECK-LABEL: func.func @neutral(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<3xf32>{{.*}}, %[[I:[^ ]*]]: tensor<3xi32>
func.func @neutral(%x: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<3xf32>, tensor<3xi32>) {
  // CHECK-NEXT: func.return %[[X]], %[[I]]
  %zero = nn.constant dense<0.0> : tensor<f32> : tensor<f32>
  %minus = nn.constant dense<-0.0> : tensor<3xf32> : tensor<3xf32>
  %one = nn.constant dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %none = nn.constant dense<0> : tensor<i32> : tensor<i32>
  %0 = nn.sub %x, %zero : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = nn.add %minus, %0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = nn.mul %one, %1 : (tensor<1xf32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = nn.div %2, %one : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
  %4 = nn.add %i, %none : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  func.return %3, %4 : tensor<3xf32>, tensor<3xi32>
}

// -0.0 + 0.0 is 0.0, -0.0 - -0.0 is 0.0, NaN * 0 is NaN, 1 / x is no x, and a neutral
// element that broadcasts changes the shape.
// CHECK-LABEL: func.func @not_neutral(
func.func @not_neutral(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<2x3xf32>) {
  // CHECK: nn.add
  // CHECK: nn.sub
  // CHECK: nn.mul
  // CHECK: nn.div
  // CHECK: nn.mul
  %zero = nn.constant dense<0.0> : tensor<f32> : tensor<f32>
  %minus = nn.constant dense<-0.0> : tensor<f32> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32> : tensor<f32>
  %ones = nn.constant dense<1.0> : tensor<2x3xf32> : tensor<2x3xf32>
  %0 = nn.add %x, %zero : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = nn.sub %0, %minus : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = nn.mul %1, %zero : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %3 = nn.div %one, %2 : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  %4 = nn.mul %x, %ones : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %3, %4 : tensor<3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @fold(
func.func @fold() -> (tensor<2xf32>, tensor<2xui8>, tensor<2xf32>, tensor<2x1xf32>, tensor<2xf16>, tensor<2xf32>) {
  %a = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %b = nn.constant dense<3.0> : tensor<f32> : tensor<f32>
  %z = nn.constant dense<0.0> : tensor<f32> : tensor<f32>
  %u = nn.constant dense<[250, 3]> : tensor<2xui8> : tensor<2xui8>
  // CHECK-DAG: nn.constant dense<[4.000000e+00, 5.000000e+00]> : tensor<2xf32>
  %0 = nn.add %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // Integers wrap around.
  // CHECK-DAG: nn.constant dense<[244, 6]> : tensor<2xui8>
  %1 = nn.add %u, %u : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  // CHECK-DAG: nn.constant dense<[2.500000e+02, 3.000000e+00]> : tensor<2xf32>
  %2 = nn.cast %u to f32 : (tensor<2xui8>) -> tensor<2xf32>
  // CHECK-DAG: nn.constant dense<{{.*}}> : tensor<2x1xf32>
  %3 = nn.reshape %a to [2, 1] : (tensor<2xf32>) -> tensor<2x1xf32>
  // CHECK-DAG: nn.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf16>
  %4 = nn.cast %a to f16 : (tensor<2xf32>) -> tensor<2xf16>
  // CHECK-DAG: nn.constant dense<"0x0000807F0000807F"> : tensor<2xf32>
  %5 = nn.div %a, %z : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK-NOT: {{nn.(add|cast|reshape|div)}}
  func.return %0, %1, %2, %3, %4, %5 : tensor<2xf32>, tensor<2xui8>, tensor<2xf32>, tensor<2x1xf32>, tensor<2xf16>, tensor<2xf32>
}

// CHECK-LABEL: func.func @casts(
// CHECK-SAME: %[[U:[^ ]*]]: tensor<3xui8>{{.*}}, %[[X:[^ ]*]]: tensor<3xf32>
func.func @casts(%u: tensor<3xui8>, %x: tensor<3xf32>) -> (tensor<3xui8>, tensor<3xf32>, tensor<3xf32>) {
  // Through a wider dtype, and to the same.
  // CHECK-NEXT: %[[F:.*]] = nn.cast %[[U]] to f32
  %0 = nn.cast %u to i32 : (tensor<3xui8>) -> tensor<3xi32>
  %1 = nn.cast %0 to f32 : (tensor<3xi32>) -> tensor<3xf32>
  %2 = nn.cast %0 to ui8 : (tensor<3xi32>) -> tensor<3xui8>
  %3 = nn.cast %2 to ui8 : (tensor<3xui8>) -> tensor<3xui8>
  // Through a narrower one: both stay.
  // CHECK-NEXT: %[[H:.*]] = nn.cast %[[X]] to f16
  // CHECK-NEXT: %[[B:.*]] = nn.cast %[[H]] to f32
  %4 = nn.cast %x to f16 : (tensor<3xf32>) -> tensor<3xf16>
  %5 = nn.cast %4 to f32 : (tensor<3xf16>) -> tensor<3xf32>
  // CHECK-NEXT: func.return %[[U]], %[[F]], %[[B]]
  func.return %3, %1, %5 : tensor<3xui8>, tensor<3xf32>, tensor<3xf32>
}

// A float may be out of an integer's range: its cast is not folded.
// CHECK-LABEL: func.func @float_to_integer(
// CHECK: nn.cast
func.func @float_to_integer() -> tensor<i8> {
  %a = nn.constant dense<1000.0> : tensor<f32> : tensor<f32>
  %0 = nn.cast %a to i8 : (tensor<f32>) -> tensor<i8>
  func.return %0 : tensor<i8>
}

// CHECK-LABEL: func.func @empty_reductions(
func.func @empty_reductions(%x: tensor<2x0xf32>, %i: tensor<0xi64>) -> (tensor<2xf32>, tensor<i64>, tensor<0xf32>) {
  // CHECK-NEXT: %[[ZERO:.*]] = nn.constant dense<0.000000e+00> : tensor<f32>
  // CHECK-NEXT: %[[S:.*]] = nn.expand %[[ZERO]] to [2]
  // CHECK-NEXT: %[[P:.*]] = nn.constant dense<1> : tensor<i64>
  %0 = nn.reduce_sum %x axes [1] keep 0 : (tensor<2x0xf32>) -> tensor<2xf32>
  %1 = nn.reduce_prod %i axes [0] keep 0 : (tensor<0xi64>) -> tensor<i64>
  // CHECK-NEXT: %[[N:.*]] = nn.reduce_sum %x axes [0]
  %2 = nn.reduce_sum %x axes [0] keep 0 : (tensor<2x0xf32>) -> tensor<0xf32>
  // CHECK-NEXT: func.return %[[S]], %[[P]], %[[N]]
  func.return %0, %1, %2 : tensor<2xf32>, tensor<i64>, tensor<0xf32>
}

// A transpose is left where the other dimensions change places.
// CHECK-LABEL: func.func @reductions_of_transposes(
func.func @reductions_of_transposes(%x: tensor<2x3x4x5xf32>, %y: tensor<2x3x4xf16>) -> (tensor<2x5x1x1xf32>, tensor<2x4xf32>, tensor<4x2xf32>, tensor<2x4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = nn.reduce_sum %x axes [1, 2] keep 0 : (tensor<2x3x4x5xf32>) -> tensor<2x5xf32>
  // CHECK-NEXT: %[[R:.*]] = nn.reshape %[[A]] to [2, 5, 1, 1]
  %0 = nn.transpose %x by [0, 3, 1, 2] : (tensor<2x3x4x5xf32>) -> tensor<2x5x3x4xf32>
  %1 = nn.reduce_sum %0 axes [2, 3] keep 1 : (tensor<2x5x3x4xf32>) -> tensor<2x5x1x1xf32>
  // CHECK-NEXT: %[[M:.*]] = nn.reduce_max %x axes [1, 3] keep 0
  %2 = nn.transpose %x by [3, 0, 1, 2] : (tensor<2x3x4x5xf32>) -> tensor<5x2x3x4xf32>
  %3 = nn.reduce_max %2 axes [0, 2] keep 0 : (tensor<5x2x3x4xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %x by [2, 1, 0, 3]
  // CHECK-NEXT: %[[P:.*]] = nn.reduce_prod %[[T]] axes [1, 3] keep 0
  %4 = nn.transpose %x by [2, 1, 0, 3] : (tensor<2x3x4x5xf32>) -> tensor<4x3x2x5xf32>
  %5 = nn.reduce_prod %4 axes [1, 3] keep 0 : (tensor<4x3x2x5xf32>) -> tensor<4x2xf32>
  // CHECK-NEXT: %[[C:.*]] = nn.cast %y to f32 : (tensor<2x3x4xf16>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: %[[S:.*]] = nn.reduce_sum %[[C]] axes [1] keep 0
  %6 = nn.transpose %y by [0, 2, 1] : (tensor<2x3x4xf16>) -> tensor<2x4x3xf16>
  %7 = nn.cast %6 to f32 : (tensor<2x4x3xf16>) -> tensor<2x4x3xf32>
  %8 = nn.reduce_sum %7 axes [2] keep 0 : (tensor<2x4x3xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: func.return %[[R]], %[[M]], %[[P]], %[[S]]
  func.return %1, %3, %5, %8 : tensor<2x5x1x1xf32>, tensor<2x4xf32>, tensor<4x2xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @relu_and_reductions(
func.func @relu_and_reductions(%x: tensor<2x1xf32>, %u: tensor<2xui8>) -> (tensor<2x1xf32>, tensor<2xui8>, tensor<2xf32>, tensor<2xf32>, tensor<2x1xf32>) {
  // CHECK-NEXT: %[[R:.*]] = nn.relu %x
  %0 = nn.relu %x : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %1 = nn.relu %0 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %2 = nn.relu %u : (tensor<2xui8>) -> tensor<2xui8>
  // The maximum of one element is a reshape; the sum is not, of -0.0.
  // CHECK-NEXT: %[[M:.*]] = nn.reshape %x to [2]
  // CHECK-NEXT: %[[S:.*]] = nn.reduce_sum %x axes [1]
  %3 = nn.reduce_max %x axes [1] keep 0 : (tensor<2x1xf32>) -> tensor<2xf32>
  %4 = nn.reduce_sum %x axes [1] keep 0 : (tensor<2x1xf32>) -> tensor<2xf32>
  %5 = nn.reduce_sum %x axes [] keep 0 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  // CHECK-NEXT: func.return %[[R]], %u, %[[M]], %[[S]], %x
  func.return %1, %2, %3, %4, %5 : tensor<2x1xf32>, tensor<2xui8>, tensor<2xf32>, tensor<2xf32>, tensor<2x1xf32>
}
