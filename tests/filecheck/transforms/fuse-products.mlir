// RUN: devproc-opt %s --split-input-file -p convert-nn-to-linalg,fuse-pointwise | filecheck %s

// A recurrent layer adds the products of its input and of its state: the second accumulates
// into the sums of the first, without rounding in between.
// CHECK-LABEL: @added
!x = tensor<40x96xbf16, #dev.on<"cuda">>
!h = tensor<40x64xbf16, #dev.on<"cuda">>
!wx = tensor<72x96xbf16, #dev.on<"cuda">>
!wh = tensor<72x64xbf16, #dev.on<"cuda">>
!b = tensor<72xbf16, #dev.on<"cuda">>
!y = tensor<40x72xbf16, #dev.on<"cuda">>
// CHECK:      %[[ZERO:.*]] = linalg.fill
// CHECK:      %[[FIRST:.*]] = linalg.generic {{.*}} ins(%x, %wx : {{.*}}) outs(%[[ZERO]] :
// CHECK-SAME:   kernel.family = "contraction", kernel.group = 0
// CHECK-NOT:  linalg.fill
// CHECK:      %[[SUM:.*]] = linalg.generic {{.*}} ins(%h, %wh : {{.*}}) outs(%[[FIRST]] :
// CHECK-SAME:   kernel.group = 0
// CHECK:      linalg.generic {{.*}} ins(%{{.*}}, %[[SUM]] : tensor<72xbf16, {{.*}}, tensor<40x72xf32
// CHECK-SAME:   kernel.sources = ["nn.linear", "nn.add", "nn.relu"], kernel.group = 0
// CHECK-NEXT: ^bb0(%[[BIAS:.*]]: bf16{{.*}}, %[[V:.*]]: f32{{.*}}, %{{.*}}: bf16{{.*}}):
// CHECK-NEXT:   %[[WIDE:.*]] = arith.extf %[[BIAS]] : bf16 to f32
// CHECK-NEXT:   %[[TOTAL:.*]] = arith.addf %[[WIDE]], %[[V]] : f32
// CHECK-NEXT:   arith.truncf %[[TOTAL]] : f32 to bf16
// CHECK-NOT:  linalg.generic
builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1,
    cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
  func.func @added(%x: !x, %wx: !wx, %b: !b, %h: !h, %wh: !wh) -> !y {
    %0 = nn.linear %x, %wx bias %b : (!x, !wx, !b) -> !y
    %1 = nn.linear %h, %wh : (!h, !wh) -> !y
    %2 = nn.add %0, %1 : (!y, !y) -> !y
    %3 = nn.relu %2 : (!y) -> !y
    func.return %3 : !y
  }
}

// -----

// Each convolution of a residual connection has a scale of its own: the first result is held
// in bf16 while the second is computed. One is of the image as it is, one has a stride.
// CHECK-LABEL: @scaled
!h = tensor<2x7x6x64xbf16, #dev.on<"cuda">>
!x = tensor<2x13x12x32xbf16, #dev.on<"cuda">>
!wh = tensor<1x1x64x48xbf16, #dev.on<"cuda">>
!wx = tensor<1x1x32x48xbf16, #dev.on<"cuda">>
!s = tensor<1x1x1x48xbf16, #dev.on<"cuda">>
!y = tensor<2x7x6x48xbf16, #dev.on<"cuda">>
// CHECK:      %[[FIRST:.*]] = linalg.generic {{.*}} ins(%h, %wh
// CHECK-SAME:   kernel.family = "window", kernel.group = 0
// CHECK:      %[[HELD:.*]] = linalg.generic {{.*}} ins(%[[FIRST]], %s
// CHECK-SAME:   kernel.group = 0
// CHECK:      } -> tensor<2x7x6x48xbf16
// CHECK:      %[[ZERO:.*]] = linalg.fill
// CHECK:      %[[SECOND:.*]] = linalg.generic {{.*}}((d1 * 2) + d4){{.*}} ins(%x, %wx : {{.*}}) outs(%[[ZERO]] :
// CHECK-SAME:   kernel.group = 0
// CHECK:      linalg.generic {{.*}} ins(%[[SECOND]], %t, %[[HELD]]
// CHECK-SAME:   kernel.group = 0
// CHECK-NOT:  linalg.generic
builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1,
    cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
  func.func @scaled(%h: !h, %wh: !wh, %s: !s, %x: !x, %wx: !wx, %t: !s) -> !y {
    %0 = nn.conv2d %h, %wh stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc" : (!h, !wh) -> !y
    %1 = nn.mul %0, %s : (!y, !s) -> !y
    %2 = nn.conv2d %x, %wx stride [2, 2] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc" : (!x, !wx) -> !y
    %3 = nn.mul %2, %t : (!y, !s) -> !y
    %4 = nn.add %1, %3 : (!y, !y) -> !y
    func.return %4 : !y
  }
}

// -----

// A result with another reader is stored anyway; below, kernels of a CPU have one product.
// CHECK-LABEL: @apart
!x = tensor<40x96xf32, #dev.on<"cuda">>
!w = tensor<72x96xf32, #dev.on<"cuda">>
!h = tensor<40x64xf32, #dev.on<"cuda">>
!wh = tensor<72x64xf32, #dev.on<"cuda">>
!y = tensor<40x72xf32, #dev.on<"cuda">>
// CHECK:      kernel.family = "contraction", kernel.group = 0
// CHECK:      kernel.family = "contraction", kernel.group = 1
builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1,
    cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
  func.func @apart(%x: !x, %w: !w, %h: !h, %wh: !wh) -> (!y, !y) {
    %0 = nn.linear %x, %w : (!x, !w) -> !y
    %1 = nn.linear %h, %wh : (!h, !wh) -> !y
    %2 = nn.add %0, %1 : (!y, !y) -> !y
    func.return %0, %2 : !y, !y
  }
}

// -----

// CHECK-LABEL: @cpu
!x = tensor<40x96xf32, #dev.on<"cpu">>
!w = tensor<72x96xf32, #dev.on<"cpu">>
!y = tensor<40x72xf32, #dev.on<"cpu">>
// CHECK:      kernel.family = "contraction", kernel.group = 0
// CHECK:      kernel.family = "contraction", kernel.group = 1
func.func @cpu(%x: !x, %w: !w, %h: !x, %v: !w) -> !y {
  %0 = nn.linear %x, %w : (!x, !w) -> !y
  %1 = nn.linear %h, %v : (!x, !w) -> !y
  %2 = nn.add %0, %1 : (!y, !y) -> !y
  func.return %2 : !y
}
