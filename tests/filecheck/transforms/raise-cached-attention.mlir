// RUN: devproc-opt %s -p raise-cached-attention,canonicalize,cse --split-input-file | filecheck %s

// Repeated heads of a cache in bf16, at one position: the queries of a group are rows.
// CHECK-LABEL: @repeated
// CHECK-DAG:   %[[Q:.*]] = nn.reshape %q to [2, 3, 8]
// CHECK-DAG:   %[[K:.*]] = nn.reshape %k to [2, 4, 8]
// CHECK-NOT:   nn.cast
// CHECK-NOT:   nn.expand
// CHECK:       %[[R:.*]] = nn.cached_attention %[[Q]], %[[K]], %[[K]] last %pos scale 1.000000e+00 : f64 empty 1
// CHECK-NEXT:  nn.reshape %[[R]] to [6, 1, 8]
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
    cpu = #cpu.machine<vector_bits = 512>>} {
func.func @repeated(%q: tensor<6x1x8xf32>, %k: tensor<2x1x4x8xbf16>, %pos: tensor<1xi64>) -> tensor<6x1x8xf32> {
  %t = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64> : tensor<4xi64>
  %m = nn.le %t, %pos : (tensor<4xi64>, tensor<1xi64>) -> tensor<4xi1>
  %c = nn.cast %k to f32 : (tensor<2x1x4x8xbf16>) -> tensor<2x1x4x8xf32>
  %e = nn.expand %c to [2, 3, 4, 8] : (tensor<2x1x4x8xf32>) -> tensor<2x3x4x8xf32>
  %h = nn.reshape %e to [6, 4, 8] : (tensor<2x3x4x8xf32>) -> tensor<6x4x8xf32>
  %r = nn.attention %q, %h, %h mask %m scale 1.0 : f64 empty 1 : (tensor<6x1x8xf32>, tensor<6x4x8xf32>, tensor<6x4x8xf32>, tensor<4xi1>) -> tensor<6x1x8xf32>
  func.return %r : tensor<6x1x8xf32>
}
}

// -----

// A window and padding: the padding stays a mask. Several tokens, at positions of each batch.
// CHECK-LABEL: @window
// CHECK-NOT:   nn.lt
// CHECK:       %[[L:.*]] = nn.reshape %pos to [2, 1, 3]
// CHECK-NOT:   nn.le
// CHECK:       nn.cached_attention %q, %k, %k last %[[L]] mask %pad window 2 scale 1.000000e+00 : f64 empty 1
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
    cpu = #cpu.machine<vector_bits = 512>>} {
func.func @window(%q: tensor<2x5x3x8xf32>, %k: tensor<2x5x4x8xf32>, %pos: tensor<2x3xi64>, %pad: tensor<2x1x1x4xi1>) -> tensor<2x5x3x8xf32> {
  %t = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64> : tensor<4xi64>
  %two = nn.constant dense<2> : tensor<i64> : tensor<i64>
  %p = nn.reshape %pos to [2, 1, 3, 1] : (tensor<2x3xi64>) -> tensor<2x1x3x1xi64>
  %le = nn.le %t, %p : (tensor<4xi64>, tensor<2x1x3x1xi64>) -> tensor<2x1x3x4xi1>
  %low = nn.sub %p, %two : (tensor<2x1x3x1xi64>, tensor<i64>) -> tensor<2x1x3x1xi64>
  %lt = nn.lt %low, %t : (tensor<2x1x3x1xi64>, tensor<4xi64>) -> tensor<2x1x3x4xi1>
  %a = nn.and %le, %pad : (tensor<2x1x3x4xi1>, tensor<2x1x1x4xi1>) -> tensor<2x1x3x4xi1>
  %m = nn.and %a, %lt : (tensor<2x1x3x4xi1>, tensor<2x1x3x4xi1>) -> tensor<2x1x3x4xi1>
  %r = nn.attention %q, %k, %k mask %m scale 1.0 : f64 empty 1 : (tensor<2x5x3x8xf32>, tensor<2x5x4x8xf32>, tensor<2x5x4x8xf32>, tensor<2x1x3x4xi1>) -> tensor<2x5x3x8xf32>
  func.return %r : tensor<2x5x3x8xf32>
}
}

// -----

// Finite addends: a query that sees no key yields NaN instead of a mean of the whole cache.
// CHECK-LABEL: @addends
// CHECK:       nn.cached_attention %q, %q, %q last %{{.*}} scale 1.000000e+00 : f64 empty 0
// A mask that no position bounds.
// CHECK:       nn.attention %q, %q, %q mask %other
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
    cpu = #cpu.machine<vector_bits = 512>>} {
func.func @addends(%q: tensor<5x8xf32>, %pos: tensor<5x1xi64>, %other: tensor<5x5xi1>) -> (tensor<5x8xf32>, tensor<5x8xf32>) {
  %t = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64> : tensor<5xi64>
  %zero = nn.constant dense<0.0> : tensor<f32> : tensor<f32>
  %low = nn.constant dense<-1.0e38> : tensor<f32> : tensor<f32>
  %gt = nn.lt %pos, %t : (tensor<5x1xi64>, tensor<5xi64>) -> tensor<5x5xi1>
  %m = nn.where %gt, %low, %zero : (tensor<5x5xi1>, tensor<f32>, tensor<f32>) -> tensor<5x5xf32>
  %r = nn.attention %q, %q, %q mask %m scale 1.0 : f64 empty 1 : (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x5xf32>) -> tensor<5x8xf32>
  %s = nn.attention %q, %q, %q mask %other scale 1.0 : f64 empty 1 : (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x5xi1>) -> tensor<5x8xf32>
  func.return %r, %s : tensor<5x8xf32>, tensor<5x8xf32>
}
}

// -----

// Rows in int8 with scales, repeated for the heads that share them.
// CHECK-LABEL: @int8
// CHECK-DAG:   %[[Q:.*]] = nn.reshape %q to [2, 3, 8]
// CHECK-DAG:   %[[K:.*]] = nn.reshape %k to [2, 4, 8]
// CHECK-DAG:   %[[S:.*]] = nn.reshape %s to [2, 4, 1]
// CHECK-NOT:   nn.mul
// CHECK:       nn.cached_attention %[[Q]], %[[K]], %[[K]] last %pos scales %[[S]], %[[S]] : tensor<2x4x1xf32>, tensor<2x4x1xf32> scale
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
    cpu = #cpu.machine<vector_bits = 512>>} {
func.func @int8(%q: tensor<6x1x8xf32>, %k: tensor<2x1x4x8xi8>, %s: tensor<2x1x4x1xf32>, %pos: tensor<1xi64>) -> tensor<6x1x8xf32> {
  %t = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64> : tensor<4xi64>
  %m = nn.le %t, %pos : (tensor<4xi64>, tensor<1xi64>) -> tensor<4xi1>
  %c = nn.cast %k to f32 : (tensor<2x1x4x8xi8>) -> tensor<2x1x4x8xf32>
  %p = nn.mul %c, %s : (tensor<2x1x4x8xf32>, tensor<2x1x4x1xf32>) -> tensor<2x1x4x8xf32>
  %e = nn.expand %p to [2, 3, 4, 8] : (tensor<2x1x4x8xf32>) -> tensor<2x3x4x8xf32>
  %h = nn.reshape %e to [6, 4, 8] : (tensor<2x3x4x8xf32>) -> tensor<6x4x8xf32>
  %r = nn.attention %q, %h, %h mask %m scale 1.0 : f64 empty 1 : (tensor<6x1x8xf32>, tensor<6x4x8xf32>, tensor<6x4x8xf32>, tensor<4xi1>) -> tensor<6x1x8xf32>
  func.return %r : tensor<6x1x8xf32>
}
}

// -----

// A device without a kernel for it, of heads as large, keeps the mask.
// CHECK-LABEL: @other_device
// CHECK:       nn.attention %q, %q, %q mask
builtin.module attributes {devproc.target = #dev.target<"cuda">} {
func.func @other_device(%q: tensor<5x300xf32>, %pos: tensor<5x1xi64>) -> tensor<5x300xf32> {
  %t = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64> : tensor<5xi64>
  %m = nn.le %t, %pos : (tensor<5xi64>, tensor<5x1xi64>) -> tensor<5x5xi1>
  %r = nn.attention %q, %q, %q mask %m scale 1.0 : f64 empty 1 : (tensor<5x300xf32>, tensor<5x300xf32>, tensor<5x300xf32>, tensor<5x5xi1>) -> tensor<5x300xf32>
  func.return %r : tensor<5x300xf32>
}
}
