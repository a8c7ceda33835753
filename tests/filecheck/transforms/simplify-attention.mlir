// RUN: devproc-opt %s -p simplify-attention --split-input-file | filecheck %s

// A sliding window and the padding of a batch: only the padding stays a mask.
// CHECK-LABEL: @window
// CHECK-NOT:   nn.le
// CHECK:       nn.attention %q, %q, %q mask %pad scale 1.000000e+00 : f64 empty 1 band [-1, 0] : (
builtin.module attributes {devproc.target = #dev.target<"cuda">} {
func.func @window(%q: tensor<2x3x4x8xf32>, %pad: tensor<2x1x1x4xi1>) -> tensor<2x3x4x8xf32> {
  %s = nn.constant dense<[[0], [1], [2], [3]]> : tensor<4x1xi64> : tensor<4x1xi64>
  %before = nn.constant dense<[[-2], [-1], [0], [1]]> : tensor<4x1xi64> : tensor<4x1xi64>
  %t = nn.constant dense<[[0, 1, 2, 3]]> : tensor<1x4xi64> : tensor<1x4xi64>
  %true = nn.constant dense<true> : tensor<i1> : tensor<i1>
  %high = nn.le %t, %s : (tensor<1x4xi64>, tensor<4x1xi64>) -> tensor<4x4xi1>
  %low = nn.lt %before, %t : (tensor<4x1xi64>, tensor<1x4xi64>) -> tensor<4x4xi1>
  %a = nn.and %high, %low : (tensor<4x4xi1>, tensor<4x4xi1>) -> tensor<4x4xi1>
  %b = nn.and %true, %a : (tensor<i1>, tensor<4x4xi1>) -> tensor<4x4xi1>
  %m = nn.and %b, %pad : (tensor<4x4xi1>, tensor<2x1x1x4xi1>) -> tensor<2x1x4x4xi1>
  %e = nn.expand %m to [2, 3, 4, 4] : (tensor<2x1x4x4xi1>) -> tensor<2x3x4x4xi1>
  %r = nn.attention %q, %q, %q mask %e scale 1.0 : f64 empty 1 : (tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x4xi1>) -> tensor<2x3x4x8xf32>
  func.return %r : tensor<2x3x4x8xf32>
}
}

// -----

// Addends of minus infinity; a negated mask of what is hidden; a mask that hides nothing.
// CHECK-LABEL: @forms
// CHECK:       nn.attention %q, %q, %q scale 1.000000e+00 : f64 empty 0 band [-2, 0] : (
// CHECK:       nn.attention %q, %q, %q scale 1.000000e+00 : f64 empty 0 band [-2, 1] : (
// CHECK:       nn.attention %q, %q, %q scale 1.000000e+00 : f64 empty 1 : (
builtin.module attributes {devproc.target = #dev.target<"cuda">} {
func.func @forms(%q: tensor<3x8xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>) {
  %s = nn.constant dense<[[0], [1], [2]]> : tensor<3x1xi64> : tensor<3x1xi64>
  %t = nn.constant dense<[[0, 1, 2]]> : tensor<1x3xi64> : tensor<1x3xi64>
  %true = nn.constant dense<true> : tensor<i1> : tensor<i1>
  %zero = nn.constant dense<0.0> : tensor<f32> : tensor<f32>
  %none = nn.constant dense<0xFF800000> : tensor<f32> : tensor<f32>
  %seen = nn.le %t, %s : (tensor<1x3xi64>, tensor<3x1xi64>) -> tensor<3x3xi1>
  %w = nn.where %seen, %zero, %none : (tensor<3x3xi1>, tensor<f32>, tensor<f32>) -> tensor<3x3xf32>
  %a = nn.attention %q, %q, %q mask %w scale 1.0 : f64 empty 0 : (tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x3xf32>) -> tensor<3x8xf32>
  %far = nn.constant dense<[[0, 0, 1], [0, 0, 0], [0, 0, 0]]> : tensor<3x3xi1> : tensor<3x3xi1>
  %n = nn.xor %far, %true : (tensor<3x3xi1>, tensor<i1>) -> tensor<3x3xi1>
  %b = nn.attention %q, %q, %q mask %n scale 1.0 : f64 empty 0 : (tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x3xi1>) -> tensor<3x8xf32>
  %c = nn.attention %q, %q, %q mask %true scale 1.0 : f64 empty 1 : (tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<i1>) -> tensor<3x8xf32>
  func.return %a, %b, %c : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>
}
}

// -----

// What exporters write for a mask that hides nothing: no index is negative. The padding stays.
// CHECK-LABEL: @everything
// CHECK-NOT:   nn.le
// CHECK:       nn.attention %q, %q, %q mask %pad scale 1.000000e+00 : f64 empty 1 : (
// CHECK:       nn.attention %q, %q, %q scale 1.000000e+00 : f64 empty 1 : (
// CHECK:       nn.attention %q, %q, %q mask %{{.*}} scale 1.000000e+00 : f64 empty 1 : (
builtin.module attributes {devproc.target = #dev.target<"cuda">} {
func.func @everything(%q: tensor<2x3x8xf32>, %pad: tensor<2x1x3xi1>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %zero = nn.constant dense<0> : tensor<i64> : tensor<i64>
  %s = nn.constant dense<[[[0], [1], [2]]]> : tensor<1x3x1xi64> : tensor<1x3x1xi64>
  %all = nn.le %zero, %s : (tensor<i64>, tensor<1x3x1xi64>) -> tensor<1x3x1xi1>
  %m = nn.and %all, %pad : (tensor<1x3x1xi1>, tensor<2x1x3xi1>) -> tensor<2x3x3xi1>
  %a = nn.attention %q, %q, %q mask %m scale 1.0 : f64 empty 1 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x3xi1>) -> tensor<2x3x8xf32>
  %e = nn.expand %all to [1, 3, 4] : (tensor<1x3x1xi1>) -> tensor<1x3x4xi1>
  %part = nn.slice %e from [0, 0, 1] size [1, 3, 3] step [1, 1, 1] : (tensor<1x3x4xi1>) -> tensor<1x3x3xi1>
  %f = nn.expand %part to [2, 3, 3] : (tensor<1x3x3xi1>) -> tensor<2x3x3xi1>
  %b = nn.attention %q, %q, %q mask %f scale 1.0 : f64 empty 1 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x3xi1>) -> tensor<2x3x8xf32>
  %some = nn.lt %zero, %s : (tensor<i64>, tensor<1x3x1xi64>) -> tensor<1x3x1xi1>
  %c = nn.attention %q, %q, %q mask %some scale 1.0 : f64 empty 1 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<1x3x1xi1>) -> tensor<2x3x8xf32>
  func.return %a, %b, %c : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>
}
}

// -----

// Not a band: another slope, a hole, two large addends that are finite.
// CHECK-LABEL: @others
// CHECK-NOT:   band
builtin.module attributes {devproc.target = #dev.target<"cuda">} {
func.func @others(%q: tensor<3x8xf32>, %n: tensor<3x3xf32>) {
  %s = nn.constant dense<[[0], [2], [4]]> : tensor<3x1xi64> : tensor<3x1xi64>
  %t = nn.constant dense<[[0, 1, 2]]> : tensor<1x3xi64> : tensor<1x3xi64>
  %m = nn.le %t, %s : (tensor<1x3xi64>, tensor<3x1xi64>) -> tensor<3x3xi1>
  %a = nn.attention %q, %q, %q mask %m scale 1.0 : f64 empty 0 : (tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x3xi1>) -> tensor<3x8xf32>
  %h = nn.constant dense<[[1, 0, 1], [1, 1, 0], [1, 1, 1]]> : tensor<3x3xi1> : tensor<3x3xi1>
  %b = nn.attention %q, %q, %q mask %h scale 1.0 : f64 empty 0 : (tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x3xi1>) -> tensor<3x8xf32>
  %f = nn.constant dense<[[0.0, -1.0e38, -1.0e38], [0.0, 0.0, -1.0e38], [0.0, 0.0, 0.0]]> : tensor<3x3xf32> : tensor<3x3xf32>
  %g = nn.add %f, %n : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %c = nn.attention %q, %q, %q mask %g scale 1.0 : f64 empty 0 : (tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x3xf32>) -> tensor<3x8xf32>
  func.return
}
}

// -----

// The CPU finds hidden keys by reading the mask.
// CHECK-LABEL: @cpu
// CHECK:       nn.attention %q, %q, %q mask
builtin.module attributes {devproc.target = #dev.target<"cpu">} {
func.func @cpu(%q: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %m = nn.constant dense<[[1, 0, 0], [1, 1, 0], [1, 1, 1]]> : tensor<3x3xi1> : tensor<3x3xi1>
  %r = nn.attention %q, %q, %q mask %m scale 1.0 : f64 empty 1 : (tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x3xi1>) -> tensor<3x8xf32>
  func.return %r : tensor<3x8xf32>
}
}
