// RUN: devproc-opt %s -p raise-attention --split-input-file | filecheck %s

// Two masks are added; products and softmax on other leading dimensions are reshaped.
// CHECK-LABEL: @biases
// CHECK:       %[[Q:.*]] = nn.reshape %q to [2, 3, 5, 8]
// CHECK:       %[[V:.*]] = nn.reshape %v to [2, 3, 7, 4]
// CHECK:       %[[M:.*]] = nn.add %n, %m
// CHECK:       %[[R:.*]] = nn.attention %[[Q]], %{{.*}}, %[[V]] mask %[[M]] scale 5.000000e-01 : f64 empty 0
// CHECK:       nn.reshape %[[R]] to [6, 5, 4]
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {
func.func @biases(%q: tensor<6x5x8xf32>, %k: tensor<6x8x7xf32>, %v: tensor<6x7x4xf32>, %m: tensor<3x5x7xf32>, %n: tensor<2x1x1x7xf32>) -> tensor<6x5x4xf32> {
  %half = nn.constant dense<0.5> : tensor<f32> : tensor<f32>
  %s = nn.matmul %q, %k : (tensor<6x5x8xf32>, tensor<6x8x7xf32>) -> tensor<6x5x7xf32>
  %w = nn.reshape %s to [2, 3, 5, 7] : (tensor<6x5x7xf32>) -> tensor<2x3x5x7xf32>
  %t = nn.mul %w, %half : (tensor<2x3x5x7xf32>, tensor<f32>) -> tensor<2x3x5x7xf32>
  %a = nn.add %m, %t : (tensor<3x5x7xf32>, tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  %b = nn.add %a, %n : (tensor<2x3x5x7xf32>, tensor<2x1x1x7xf32>) -> tensor<2x3x5x7xf32>
  %p = nn.softmax %b axis -1 : (tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  %o = nn.reshape %p to [6, 5, 7] : (tensor<2x3x5x7xf32>) -> tensor<6x5x7xf32>
  %r = nn.matmul %o, %v : (tensor<6x5x7xf32>, tensor<6x7x4xf32>) -> tensor<6x5x4xf32>
  func.return %r : tensor<6x5x4xf32>
}
}

// -----

// A mask that excludes keys is negated.
// CHECK-LABEL: @excluded
// CHECK:       %[[M:.*]] = nn.xor %m, %
// CHECK:       nn.attention %q, %{{.*}}, %v mask %[[M]] scale 1.000000e+00 : f64 empty 0
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {
func.func @excluded(%q: tensor<5x8xf32>, %k: tensor<8x7xf32>, %v: tensor<7x4xf32>, %m: tensor<5x7xi1>) -> tensor<5x4xf32> {
  %none = nn.constant dense<0xFF800000> : tensor<f32> : tensor<f32>
  %s = nn.matmul %q, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %b = nn.where %m, %none, %s : (tensor<5x7xi1>, tensor<f32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %p = nn.softmax %b axis 1 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = nn.matmul %p, %v : (tensor<5x7xf32>, tensor<7x4xf32>) -> tensor<5x4xf32>
  func.return %r : tensor<5x4xf32>
}
}

// -----

// A scale after the mask, weights that are read elsewhere: as it was.
// CHECK-LABEL: @scaled_mask
// CHECK-NOT:   nn.attention
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {
func.func @scaled_mask(%q: tensor<5x8xf32>, %k: tensor<8x7xf32>, %v: tensor<7x4xf32>, %m: tensor<5x7xf32>) -> tensor<5x4xf32> {
  %half = nn.constant dense<0.5> : tensor<f32> : tensor<f32>
  %s = nn.matmul %q, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %a = nn.add %s, %m : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %b = nn.mul %a, %half : (tensor<5x7xf32>, tensor<f32>) -> tensor<5x7xf32>
  %p = nn.softmax %b axis 1 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = nn.matmul %p, %v : (tensor<5x7xf32>, tensor<7x4xf32>) -> tensor<5x4xf32>
  func.return %r : tensor<5x4xf32>
}
// CHECK-LABEL: @weights
// CHECK-NOT:   nn.attention
func.func @weights(%q: tensor<5x8xf32>, %k: tensor<8x7xf32>, %v: tensor<7x4xf32>) -> (tensor<5x4xf32>, tensor<5x7xf32>) {
  %s = nn.matmul %q, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %p = nn.softmax %s axis 1 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = nn.matmul %p, %v : (tensor<5x7xf32>, tensor<7x4xf32>) -> tensor<5x4xf32>
  func.return %r, %p : tensor<5x4xf32>, tensor<5x7xf32>
}
}

// -----

// Devices that both have a kernel for it.
// CHECK-LABEL: @mixed
// CHECK:       nn.attention %q, %{{.*}}, %v scale
builtin.module attributes {devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
func.func @mixed(%q: tensor<5x8xf32>, %k: tensor<8x7xf32>, %v: tensor<7x4xf32>) -> tensor<5x4xf32> {
  %s = nn.matmul %q, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %p = nn.softmax %s axis 1 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = nn.matmul %p, %v : (tensor<5x7xf32>, tensor<7x4xf32>) -> tensor<5x4xf32>
  func.return %r : tensor<5x4xf32>
}
}
