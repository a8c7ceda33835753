// RUN: devproc-opt %s --split-input-file -p convert-nn-to-linalg | filecheck %s

// int8 factors are extended, and summed in i32; the bias is i32.
// CHECK-LABEL: @main
func.func @main(%x: tensor<2x8xi8>, %w: tensor<4x8xi8>, %b: tensor<4xi32>) -> tensor<2x4xi32> {
  // CHECK:      linalg.fill
  // CHECK:      bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %[[SUM:.*]]: i32):
  // CHECK-NEXT:   %[[WIDE:.*]] = arith.extsi %[[A]] : i8 to i32
  // CHECK-NEXT:   %[[OTHER:.*]] = arith.extsi %[[B]] : i8 to i32
  // CHECK-NEXT:   %[[PRODUCT:.*]] = arith.muli %[[WIDE]], %[[OTHER]] : i32
  // CHECK-NEXT:   %{{.*}} = arith.addi %[[SUM]], %[[PRODUCT]] : i32
  // CHECK:        arith.addi {{.*}} : i32
  %r = nn.linear %x, %w bias %b : (tensor<2x8xi8>, tensor<4x8xi8>, tensor<4xi32>) -> tensor<2x4xi32>
  func.return %r : tensor<2x4xi32>
}

// -----

// uint8 sums wrap in its own type.
// CHECK-LABEL: @main
func.func @main(%x: tensor<2x8xui8>, %w: tensor<8x4xui8>) -> tensor<2x4xui8> {
  // CHECK-NOT:  extsi
  // CHECK:      arith.muli {{.*}} : i8
  %r = nn.matmul %x, %w : (tensor<2x8xui8>, tensor<8x4xui8>) -> tensor<2x4xui8>
  func.return %r : tensor<2x4xui8>
}

// -----

// RESCALE in 64 bits; the multipliers are read along their axis.
// CHECK-LABEL: @main
func.func @main(%x: tensor<2x3x5xi32>, %m: tensor<3x1xi32>, %s: tensor<3x1xi8>) -> tensor<2x3x5xi8> {
  // CHECK:      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, 0)>, affine_map<(d0, d1, d2) -> (d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
  // CHECK:        %[[X:.*]] = arith.extsi {{.*}} : i32 to i64
  // CHECK-NEXT:   %[[M:.*]] = arith.extsi {{.*}} : i32 to i64
  // CHECK-NEXT:   %[[S:.*]] = arith.extsi {{.*}} : i8 to i64
  // CHECK-NEXT:   %[[ONE:.*]] = arith.constant 1 : i64
  // CHECK-NEXT:   %[[LESS:.*]] = arith.subi %[[S]], %[[ONE]] : i64
  // CHECK-NEXT:   %[[HALF:.*]] = arith.shli %[[ONE]], %[[LESS]] : i64
  // CHECK-NEXT:   %[[PRODUCT:.*]] = arith.muli %[[X]], %[[M]] : i64
  // CHECK-NEXT:   %[[SUM:.*]] = arith.addi %[[PRODUCT]], %[[HALF]] : i64
  // CHECK-NEXT:   %[[SHIFTED:.*]] = arith.shrsi %[[SUM]], %[[S]] : i64
  // CHECK:        arith.addi %[[SHIFTED]], {{.*}} : i64
  // CHECK:        arith.maxsi
  // CHECK:        arith.minsi
  // CHECK:        arith.trunci {{.*}} : i64 to i8
  %r = nn.rescale %x, %m, %s zero 0 to i8 zero 3 clamp -128 127
     : (tensor<2x3x5xi32>, tensor<3x1xi32>, tensor<3x1xi8>) -> tensor<2x3x5xi8>
  func.return %r : tensor<2x3x5xi8>
}

// -----

// Rounded half to even and clamped as a float; NaN becomes 0 before the conversion.
// CHECK-LABEL: @main
func.func @main(%x: tensor<2x3xf32>, %f: tensor<3xf32>, %z: tensor<3xi32>) -> tensor<2x3xui8> {
  // CHECK:      arith.mulf
  // CHECK-NEXT: math.roundeven
  // CHECK-NEXT: arith.sitofp {{.*}} : i32 to f32
  // CHECK-NEXT: arith.addf
  // CHECK:      arith.maximumf
  // CHECK-NEXT: arith.minimumf
  // CHECK:      arith.cmpf uno
  // CHECK:      arith.select
  // CHECK-NEXT: arith.fptosi {{.*}} : f32 to i32
  // CHECK-NEXT: arith.trunci {{.*}} : i32 to i8
  %r = nn.quantize %x by %f zero %z to ui8 clamp 0 255
     : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xi32>) -> tensor<2x3xui8>
  func.return %r : tensor<2x3xui8>
}

// -----

// CHECK-LABEL: @main
func.func @main(%x: tensor<2x3xui8>, %f: tensor<f32>, %z: tensor<i32>) -> tensor<2x3xf32> {
  // CHECK:      arith.uitofp {{.*}} : i8 to f32
  // CHECK-NEXT: arith.sitofp {{.*}} : i32 to f32
  // CHECK-NEXT: arith.subf
  // CHECK-NEXT: arith.mulf
  %r = nn.dequantize %x by %f zero %z : (tensor<2x3xui8>, tensor<f32>, tensor<i32>) -> tensor<2x3xf32>
  func.return %r : tensor<2x3xf32>
}
