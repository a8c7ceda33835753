// RUN: devproc-opt %s -p convert-nn-to-linalg | filecheck %s

// Floats compare ordered, uint8 without sign; a choice computes nothing, so widens nothing.
// CHECK-LABEL: @choose
func.func @choose(%x: tensor<3xf16>, %y: tensor<3xf16>, %u: tensor<3xui8>) -> (tensor<3xf16>, tensor<3xi1>) {
  // CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
  %c = nn.lt %x, %y : (tensor<3xf16>, tensor<3xf16>) -> tensor<3xi1>
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f16
  %w = nn.where %c, %x, %y : (tensor<3xi1>, tensor<3xf16>, tensor<3xf16>) -> tensor<3xf16>
  // CHECK: arith.cmpi ule, %{{.*}}, %{{.*}} : i8
  %l = nn.le %u, %u : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  func.return %w, %l : tensor<3xf16>, tensor<3xi1>
}

// The divisor is never 0 nor -1, so that no processor traps.
// CHECK-LABEL: @divide
func.func @divide(%x: tensor<3xi32>, %y: tensor<3xi32>) -> tensor<3xi32> {
  // CHECK: %[[ZERO:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
  // CHECK: %[[ONE:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
  // CHECK: %[[EITHER:.*]] = arith.ori %[[ZERO]], %[[ONE]] : i1
  // CHECK: %[[SAFE:.*]] = arith.select %[[EITHER]]
  // CHECK: arith.divsi %{{.*}}, %[[SAFE]] : i32
  %q = nn.quotient %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  func.return %q : tensor<3xi32>
}

// CHECK-LABEL: @function
func.func @function(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: math.log1p %{{.*}} : f32
  %r = nn.log1p %x : (tensor<3xf32>) -> tensor<3xf32>
  func.return %r : tensor<3xf32>
}
