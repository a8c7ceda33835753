// RUN: devproc-opt %s -p fold-batch-norm --print-debuginfo | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {

// Weight and bias by channel; both places stay known, and the name is the result's.
// CHECK-LABEL: func.func @grouped(
func.func @grouped(%x: tensor<2x4x5x7xf32>) -> tensor<2x6x5x7xf32> {
  %w = nn.weight @w hash "1f" : tensor<6x2x1x1xf32>
  %b = nn.weight @b hash "2f" : tensor<6xf32>
  %m = nn.weight @m hash "3f" : tensor<6xf32>
  %v = nn.weight @v hash "4f" : tensor<6xf32>
  // CHECK: %[[SCALE:.*]] = nn.div
  // CHECK: %[[SHIFT:.*]] = nn.sub %b,
  // CHECK-NEXT: %[[S:.*]] = nn.reshape %[[SCALE]] to [6, 1, 1, 1]
  // CHECK-NEXT: %[[W:.*]] = nn.mul %w, %[[S]]
  // CHECK-NEXT: %[[C:.*]] = nn.mul %b, %[[SCALE]]
  // CHECK-NEXT: %[[B:.*]] = nn.add %[[C]], %[[SHIFT]]
  // CHECK-NEXT: %norm = nn.conv2d %x, %[[W]] bias %[[B]] {{.*}} groups 2 {{.*}} loc(fused["conv", "norm"])
  // CHECK-NEXT: func.return %norm
  %conv = nn.conv2d %x, %w bias %b stride [1, 1] padding [0, 0] dilation [1, 1] groups 2 : (tensor<2x4x5x7xf32>, tensor<6x2x1x1xf32>, tensor<6xf32>) -> tensor<2x6x5x7xf32> loc("conv")
  %norm = nn.batch_norm %conv bias %b : tensor<6xf32> mean %m : tensor<6xf32> variance %v : tensor<6xf32> epsilon 1.0e-05 : f64 : (tensor<2x6x5x7xf32>) -> tensor<2x6x5x7xf32> loc("norm")
  func.return %norm : tensor<2x6x5x7xf32>
}

// A convolution over a line is one over an image of height 1.
// CHECK-LABEL: func.func @line(
func.func @line(%x: tensor<2x3x1x7xf32>) -> tensor<2x4x7xf32> {
  %w = nn.weight @w hash "1f" : tensor<4x3x1x1xf32>
  %m = nn.weight @m hash "3f" : tensor<4xf32>
  %v = nn.weight @v hash "4f" : tensor<4xf32>
  // CHECK: %[[Y:.*]] = nn.conv2d %x, %{{.*}} bias
  // CHECK-NEXT: nn.reshape %[[Y]] to [2, 4, 7]
  // CHECK-NEXT: func.return
  %y = nn.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x3x1x7xf32>, tensor<4x3x1x1xf32>) -> tensor<2x4x1x7xf32>
  %z = nn.reshape %y to [2, 4, 7] : (tensor<2x4x1x7xf32>) -> tensor<2x4x7xf32>
  %r = nn.batch_norm %z mean %m : tensor<4xf32> variance %v : tensor<4xf32> epsilon 1.0e-05 : f64 : (tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  func.return %r : tensor<2x4x7xf32>
}

// Not: what is read elsewhere, what is an input, half precision, another axis.
// CHECK-LABEL: func.func @kept(
func.func @kept(%x: tensor<2x3xf32>, %h: tensor<2x3xf16>, %i: tensor<4xf32>, %t: tensor<2x5x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf16>, tensor<2x5x4xf32>) {
  %w = nn.weight @w hash "1f" : tensor<4x3xf32>
  %u = nn.weight @u hash "1e" : tensor<4x3xf32>
  %g = nn.weight @g hash "1d" : tensor<4x3xf16>
  %q = nn.weight @q hash "1c" : tensor<4x3xf32>
  %m = nn.weight @m hash "3f" : tensor<4xf32>
  %n = nn.weight @n hash "4f" : tensor<5xf32>
  // CHECK-COUNT-4: nn.batch_norm
  %y = nn.linear %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %0 = nn.batch_norm %y mean %m : tensor<4xf32> variance %m : tensor<4xf32> epsilon 1.0e-05 : f64 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %z = nn.linear %x, %u : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %1 = nn.batch_norm %z mean %i : tensor<4xf32> variance %m : tensor<4xf32> epsilon 1.0e-05 : f64 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %k = nn.linear %h, %g : (tensor<2x3xf16>, tensor<4x3xf16>) -> tensor<2x4xf16>
  %2 = nn.batch_norm %k mean %m : tensor<4xf32> variance %m : tensor<4xf32> epsilon 1.0e-05 : f64 : (tensor<2x4xf16>) -> tensor<2x4xf16>
  %l = nn.linear %t, %q : (tensor<2x5x3xf32>, tensor<4x3xf32>) -> tensor<2x5x4xf32>
  %3 = nn.batch_norm %l mean %n : tensor<5xf32> variance %n : tensor<5xf32> epsilon 1.0e-05 : f64 : (tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  func.return %y, %0, %1, %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf16>, tensor<2x5x4xf32>
}
}
