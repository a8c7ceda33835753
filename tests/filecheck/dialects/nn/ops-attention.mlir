// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @attention(
  %q: tensor<2x3x5x8xf32>,
  %k: tensor<3x7x8xf32>,
  %v: tensor<2x1x7x4xf32>,
  %m: tensor<5x7xi1>,
  %l: tensor<5xi64>,
  %h: tensor<3x7x8xbf16>,
  %n: tensor<3x7x8xi8>,
  %s: tensor<3x7x1xf32>
) {
  %r0 = nn.attention %q, %k, %v scale 0.125 : f64 empty 0 : (tensor<2x3x5x8xf32>, tensor<3x7x8xf32>, tensor<2x1x7x4xf32>) -> tensor<2x3x5x4xf32>
  // CHECK: %r0 = nn.attention %q, %k, %v scale 1.250000e-01 : f64 empty 0 : (tensor<2x3x5x8xf32>, tensor<3x7x8xf32>, tensor<2x1x7x4xf32>) -> tensor<2x3x5x4xf32>
  // GENERIC: "nn.attention"(%q, %k, %v) <{scale = 1.250000e-01 : f64, empty = 0 : i64}> : (tensor<2x3x5x8xf32>, tensor<3x7x8xf32>, tensor<2x1x7x4xf32>) -> tensor<2x3x5x4xf32>

  %r1 = nn.attention %q, %k, %v mask %m scale 1.0 : f64 empty 1 : (tensor<2x3x5x8xf32>, tensor<3x7x8xf32>, tensor<2x1x7x4xf32>, tensor<5x7xi1>) -> tensor<2x3x5x4xf32>
  // CHECK: %r1 = nn.attention %q, %k, %v mask %m scale 1.000000e+00 : f64 empty 1 : (tensor<2x3x5x8xf32>, tensor<3x7x8xf32>, tensor<2x1x7x4xf32>, tensor<5x7xi1>) -> tensor<2x3x5x4xf32>
  // GENERIC: "nn.attention"(%q, %k, %v, %m) <{scale = 1.000000e+00 : f64, empty = 1 : i64}>

  %r2 = nn.attention %q, %k, %v scale 1.0 : f64 empty 0 band [-4, 0] : (tensor<2x3x5x8xf32>, tensor<3x7x8xf32>, tensor<2x1x7x4xf32>) -> tensor<2x3x5x4xf32>
  // CHECK: %r2 = nn.attention %q, %k, %v scale 1.000000e+00 : f64 empty 0 band [-4, 0] : (
  // GENERIC: "nn.attention"(%q, %k, %v) <{scale = 1.000000e+00 : f64, empty = 0 : i64, band = array<i64: -4, 0>}>

  %r3 = nn.attention %q, %k, %v scale 1.0 : f64 empty 0 parts 7 : (tensor<2x3x5x8xf32>, tensor<3x7x8xf32>, tensor<2x1x7x4xf32>) -> tensor<2x3x5x4xf32>
  // CHECK: %r3 = nn.attention %q, %k, %v scale 1.000000e+00 : f64 empty 0 parts 7 : (
  // GENERIC: "nn.attention"(%q, %k, %v) <{scale = 1.000000e+00 : f64, empty = 0 : i64, parts = 7 : i64}>

  %r4 = nn.cached_attention %q, %k, %v last %l scale 1.0 : f64 empty 0 : (tensor<2x3x5x8xf32>, tensor<3x7x8xf32>, tensor<2x1x7x4xf32>, tensor<5xi64>) -> tensor<2x3x5x4xf32>
  // CHECK: %r4 = nn.cached_attention %q, %k, %v last %l scale 1.000000e+00 : f64 empty 0 : (
  // GENERIC: "nn.cached_attention"(%q, %k, %v, %l) <{scale = 1.000000e+00 : f64, empty = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}>

  %r5 = nn.cached_attention %q, %h, %v last %l mask %m window 3 scale 1.0 : f64 empty 1 : (tensor<2x3x5x8xf32>, tensor<3x7x8xbf16>, tensor<2x1x7x4xf32>, tensor<5xi64>, tensor<5x7xi1>) -> tensor<2x3x5x4xf32>
  // CHECK: %r5 = nn.cached_attention %q, %h, %v last %l mask %m window 3 scale 1.000000e+00 : f64 empty 1 : (
  // GENERIC: "nn.cached_attention"(%q, %h, %v, %l, %m) <{window = 3 : i64, scale = 1.000000e+00 : f64, empty = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>}>

  %r6 = nn.cached_attention %q, %n, %n last %l scales %s, %s : tensor<3x7x1xf32>, tensor<3x7x1xf32> mask %m scale 1.0 : f64 empty 1 : (tensor<2x3x5x8xf32>, tensor<3x7x8xi8>, tensor<3x7x8xi8>, tensor<5xi64>, tensor<5x7xi1>) -> tensor<2x3x5x8xf32>
  // CHECK: %r6 = nn.cached_attention %q, %n, %n last %l scales %s, %s : tensor<3x7x1xf32>, tensor<3x7x1xf32> mask %m scale 1.000000e+00 : f64 empty 1 : (
  // GENERIC: "nn.cached_attention"(%q, %n, %n, %l, %s, %s, %m) <{scale = 1.000000e+00 : f64, empty = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 2, 1>}>

  %r7 = nn.cached_attention %q, %k, %v last %l softcap 50.0 : f64 scale 1.0 : f64 empty 0 : (tensor<2x3x5x8xf32>, tensor<3x7x8xf32>, tensor<2x1x7x4xf32>, tensor<5xi64>) -> tensor<2x3x5x4xf32>
  // CHECK: %r7 = nn.cached_attention %q, %k, %v last %l softcap 5.000000e+01 : f64 scale 1.000000e+00 : f64 empty 0 : (
  // GENERIC: "nn.cached_attention"(%q, %k, %v, %l) <{softcap = 5.000000e+01 : f64, scale = 1.000000e+00 : f64, empty = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}>
  func.return
}
