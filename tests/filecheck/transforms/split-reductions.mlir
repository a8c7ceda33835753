// RUN: devproc-opt %s -p split-reductions | filecheck %s

// Sums of squares in f16: the square is computed on the split values, the parts are added
// in f32, and what only the old reduction read is gone. Columns are split along rows.
// CHECK-LABEL: func.func @split(
!x = tensor<2x1048576xf16, #dev.on<"cuda">>
!w = tensor<1048576xf16, #dev.on<"cuda">>
!r = tensor<2x1xf16, #dev.on<"cuda">>
!c = tensor<65536x40xf32, #dev.on<"cuda">>
!s = tensor<40xf32, #dev.on<"cuda">>
func.func @split(%x: !x, %w: !w, %c: !c) -> tensor<40xf32, #dev.on<"cpu">> {
  %y, %z = dev.region "cuda" (%x, %w, %c) : (!x, !w, !c) -> (!r, !s) {
  ^bb0(%a: !x, %b: !w, %d: !c):
    // CHECK:      %[[A:.*]] = nn.reshape %a to [2, 256, 4096]
    // CHECK-NEXT: %[[W:.*]] = nn.reshape %b to [256, 4096]
    // CHECK-NEXT: %[[P:.*]] = nn.mul %[[A]], %[[W]]
    // CHECK-NEXT: %[[F:.*]] = nn.cast %[[P]] to f32
    // CHECK-NEXT: %[[R:.*]] = nn.reduce_sum %[[F]] axes [2] keep 0
    // CHECK-NEXT: %[[S:.*]] = nn.reduce_sum %[[R]] axes [1] keep 1
    // CHECK-NEXT: %{{.*}} = nn.cast %[[S]] to f16
    %p = nn.mul %a, %b : (!x, !w) -> !x
    %q = nn.reduce_sum %p axes [1] keep 1 : (!x) -> !r
    // CHECK-NEXT: %[[D:.*]] = nn.reshape %d to [256, 256, 40]
    // CHECK-NEXT: %[[T:.*]] = nn.reduce_max %[[D]] axes [1] keep 0
    // CHECK-NEXT: %{{.*}} = nn.reduce_max %[[T]] axes [0] keep 0
    // CHECK-NEXT: dev.yield
    %m = nn.reduce_max %d axes [0] keep 0 : (!c) -> !s
    dev.yield %q, %m : !r, !s
  }
  %h = dev.copy %z : !s to tensor<40xf32, #dev.on<"cpu">>
  dev.sync "cuda"
  func.return %h : tensor<40xf32, #dev.on<"cpu">>
}

// Each part has one element of the first axis, which is too short to be split alone.
// CHECK-LABEL: func.func @whole_axes(
!image = tensor<1x80x80x64xf32, #dev.on<"cuda">>
!mean = tensor<1x1x1x1xf32, #dev.on<"cuda">>
func.func @whole_axes(%x: !image) -> tensor<1x1x1x1xf32, #dev.on<"cpu">> {
  %0 = dev.region "cuda" (%x) : (!image) -> !mean {
  ^bb0(%a: !image):
    // CHECK:      %[[A:.*]] = nn.reshape %a to [1, 80, 2, 40, 64]
    // CHECK-NEXT: %[[P:.*]] = nn.reduce_sum %[[A]] axes [3, 4] keep 0
    // CHECK-NEXT: %[[S:.*]] = nn.reduce_sum %[[P]] axes [1, 2] keep 0
    // CHECK-NEXT: %{{.*}} = nn.reshape %[[S]] to [1, 1, 1, 1]
    %s = nn.reduce_sum %a axes [1, 2, 3] keep 1 : (!image) -> !mean
    dev.yield %s : !mean
  }
  %1 = dev.copy %0 : !mean to tensor<1x1x1x1xf32, #dev.on<"cpu">>
  dev.sync "cuda"
  func.return %1 : tensor<1x1x1x1xf32, #dev.on<"cpu">>
}

// Not: many results, a short reduction, a length without a suitable divisor, and regions
// of other devices.
// CHECK-LABEL: func.func @kept(
!many = tensor<4096x16384xf32, #dev.on<"cuda">>
!sums = tensor<4096xf32, #dev.on<"cuda">>
!short = tensor<8x4096xf32, #dev.on<"cuda">>
!few = tensor<8xf32, #dev.on<"cuda">>
!prime = tensor<8x1000003xf32, #dev.on<"cuda">>
!host = tensor<8x1048576xf32, #dev.on<"cpu">>
!out = tensor<8xf32, #dev.on<"cpu">>
func.func @kept(%x: !many, %y: !short, %z: !prime, %h: !host) -> !out {
  // CHECK-NOT: nn.reshape
  %0, %1, %2 = dev.region "cuda" (%x, %y, %z) : (!many, !short, !prime) -> (!sums, !few, !few) {
  ^bb0(%a: !many, %b: !short, %c: !prime):
    %p = nn.reduce_sum %a axes [1] keep 0 : (!many) -> !sums
    %q = nn.reduce_sum %b axes [1] keep 0 : (!short) -> !few
    %r = nn.reduce_sum %c axes [1] keep 0 : (!prime) -> !few
    dev.yield %p, %q, %r : !sums, !few, !few
  }
  %3 = dev.region "cpu" (%h) : (!host) -> !out {
  ^bb0(%a: !host):
    %s = nn.reduce_sum %a axes [1] keep 0 : (!host) -> !out
    dev.yield %s : !out
  }
  dev.sync "cuda"
  func.return %3 : !out
}
