// RUN: devproc-opt %s -p expand-math | filecheck %s

// Seven fused multiply-adds of the polynomial and its frame, two to reduce the argument,
// one to round; no call.
// CHECK-LABEL: @exp_of_a_vector
// CHECK-COUNT-2: simd.select
// CHECK-COUNT-9: vector.fma
// CHECK-NOT:   math.exp
// CHECK:       func.return
func.func private @exp_of_a_vector(%x: memref<16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
  %c0 = arith.constant 0 : index
  %a = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
  %r = math.exp %a : vector<16xf32>
  vector.store %r, %x[%c0] : memref<16xf32>, vector<16xf32>
  func.return
}

// A number takes the same road with scalar ops; f16 is computed in f32.
// CHECK-LABEL: @tanh_of_a_number
// CHECK:       arith.extf %{{.*}} : f16 to f32
// CHECK:       math.fma
// CHECK:       math.copysign
// CHECK-NEXT:  arith.truncf %{{.*}} : f32 to f16
func.func private @tanh_of_a_number(%x: memref<1xf16>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.tanh"]>} {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<1xf16>
  %r = math.tanh %a : f16
  memref.store %r, %x[%c0] : memref<1xf16>
  func.return
}

// Of what is only added to 1 the error counts against 1. The error function is then one
// polynomial (ten multiply-adds), the exponential behind it (seven), and the difference.
// CHECK-LABEL: @gelu
// CHECK-COUNT-18: vector.fma
// CHECK-NOT:   vector.fma
// CHECK:       func.return
func.func private @gelu(%x: memref<16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.gelu"]>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : vector<16xf32>
  %a = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
  %e = math.erf %a : vector<16xf32>
  %r = arith.addf %e, %one : vector<16xf32>
  vector.store %r, %x[%c0] : memref<16xf32>, vector<16xf32>
  func.return
}

// An exponential that is also read by something else must be right on its own: scaled in
// two steps, by two shifts.
// CHECK-LABEL: @beside_one_and_alone
// CHECK-COUNT-2: arith.shli
// CHECK:       func.return
func.func private @beside_one_and_alone(%x: memref<2xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %a = memref.load %x[%c0] : memref<2xf32>
  %e = math.exp %a : f32
  %r = arith.addf %one, %e : f32
  memref.store %e, %x[%c0] : memref<2xf32>
  memref.store %r, %x[%c1] : memref<2xf32>
  func.return
}

// CHECK-LABEL: @beside_one
// CHECK:       arith.shli
// CHECK-NOT:   arith.shli
// CHECK:       func.return
func.func private @beside_one(%x: memref<2xf64>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %a = memref.load %x[%c0] : memref<2xf64>
  %e = math.exp %a : f64
  %r = arith.addf %one, %e : f64
  memref.store %r, %x[%c0] : memref<2xf64>
  func.return
}

// A GPU kernel keeps its functions.
// CHECK-LABEL: @on_the_gpu
// CHECK:       math.exp
func.func private @on_the_gpu(%x: f32) -> f32 attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.exp"]>} {
  %r = math.exp %x : f32
  func.return %r : f32
}
