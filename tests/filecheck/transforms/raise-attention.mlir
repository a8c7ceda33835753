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

// -----

// In half precision and with capped scores only over a cache. The scores are not rounded.
// CHECK-LABEL: @half
// CHECK:       nn.cached_attention %q, %k, %v last %pos scale 5.000000e-01 : f64 empty 0 : (tensor<3x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<3xi64>) -> tensor<3x8xbf16>
// CHECK-NEXT:  func.return
// CHECK-LABEL: @capped
// CHECK:       nn.cached_attention %q, %k, %v last %pos softcap 5.000000e+01 : f64 scale 5.000000e-01 : f64 empty 0
// CHECK-LABEL: @no_cache
// CHECK-NOT:   attention
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func @half(%q: tensor<3x8xbf16>, %k: tensor<4x8xbf16>, %v: tensor<4x8xbf16>, %pos: tensor<3xi64>) -> tensor<3x8xbf16> {
  %line = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64> : tensor<4xi64>
  %zero = nn.constant dense<0.0> : tensor<bf16> : tensor<bf16>
  %lowest = nn.constant dense<-3.389530e+38> : tensor<bf16> : tensor<bf16>
  %scale = nn.constant dense<0.5> : tensor<f32> : tensor<f32>
  %p = nn.reshape %pos to [3, 1] : (tensor<3xi64>) -> tensor<3x1xi64>
  %seen = nn.le %line, %p : (tensor<4xi64>, tensor<3x1xi64>) -> tensor<3x4xi1>
  %m = nn.where %seen, %zero, %lowest : (tensor<3x4xi1>, tensor<bf16>, tensor<bf16>) -> tensor<3x4xbf16>
  %kt = nn.transpose %k by [1, 0] : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
  %s = nn.matmul %q, %kt : (tensor<3x8xbf16>, tensor<8x4xbf16>) -> tensor<3x4xbf16>
  %w = nn.cast %s to f32 : (tensor<3x4xbf16>) -> tensor<3x4xf32>
  %x = nn.mul %w, %scale : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %y = nn.cast %x to bf16 : (tensor<3x4xf32>) -> tensor<3x4xbf16>
  %a = nn.add %y, %m : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x4xbf16>
  %b = nn.cast %a to f32 : (tensor<3x4xbf16>) -> tensor<3x4xf32>
  %e = nn.softmax %b axis 1 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %h = nn.cast %e to bf16 : (tensor<3x4xf32>) -> tensor<3x4xbf16>
  %r = nn.matmul %h, %v : (tensor<3x4xbf16>, tensor<4x8xbf16>) -> tensor<3x8xbf16>
  func.return %r : tensor<3x8xbf16>
}
func.func @capped(%q: tensor<3x8xf32>, %k: tensor<4x8xf32>, %v: tensor<4x8xf32>, %pos: tensor<3xi64>) -> tensor<3x8xf32> {
  %line = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64> : tensor<4xi64>
  %zero = nn.constant dense<0.0> : tensor<f32> : tensor<f32>
  %lowest = nn.constant dense<-3.40282347e+38> : tensor<f32> : tensor<f32>
  %scale = nn.constant dense<0.5> : tensor<f32> : tensor<f32>
  %cap = nn.constant dense<50.0> : tensor<f32> : tensor<f32>
  %p = nn.reshape %pos to [3, 1] : (tensor<3xi64>) -> tensor<3x1xi64>
  %seen = nn.le %line, %p : (tensor<4xi64>, tensor<3x1xi64>) -> tensor<3x4xi1>
  %m = nn.where %seen, %zero, %lowest : (tensor<3x4xi1>, tensor<f32>, tensor<f32>) -> tensor<3x4xf32>
  %kt = nn.transpose %k by [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %s = nn.matmul %q, %kt : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %x = nn.mul %s, %scale : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %y = nn.div %x, %cap : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %t = nn.tanh %y : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %z = nn.mul %t, %cap : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %a = nn.add %z, %m : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %e = nn.softmax %a axis 1 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = nn.matmul %e, %v : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
  func.return %r : tensor<3x8xf32>
}
func.func @no_cache(%q: tensor<3x8xbf16>, %k: tensor<8x4xbf16>, %v: tensor<4x8xbf16>) -> tensor<3x8xbf16> {
  %s = nn.matmul %q, %k : (tensor<3x8xbf16>, tensor<8x4xbf16>) -> tensor<3x4xbf16>
  %w = nn.cast %s to f32 : (tensor<3x4xbf16>) -> tensor<3x4xf32>
  %e = nn.softmax %w axis 1 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %h = nn.cast %e to bf16 : (tensor<3x4xf32>) -> tensor<3x4xbf16>
  %r = nn.matmul %h, %v : (tensor<3x4xbf16>, tensor<4x8xbf16>) -> tensor<3x8xbf16>
  func.return %r : tensor<3x8xbf16>
}
}
