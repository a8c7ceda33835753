// RUN: devproc-opt %s -p fuse-dequantization --split-input-file | filecheck %s

// A linear layer reads the stored form itself; another reader of the widened matrix keeps it.

!x = tensor<1x256xf32, #dev.on<"cpu">>
!y = tensor<1x64xf32, #dev.on<"cpu">>
!q = tensor<64x8x32xi8, #dev.on<"cpu">>
!s = tensor<64x8x1xf16, #dev.on<"cpu">>
!d = tensor<64x8x32xf32, #dev.on<"cpu">>
!w = tensor<64x256xf32, #dev.on<"cpu">>

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
    threads = 1, weights = "int4:32", cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: !x) -> (!y, !y, !w) {
    %q = nn.weight @q hash "1f" : !q
    %s = nn.weight @s hash "2f" : !s
    %d = nn.dequantize %q by %s : (!q, !s) -> !d
    %w = nn.reshape %d to [64, 256] : (!d) -> !w
    %y = nn.linear %x, %w : (!x, !w) -> !y
    %q2 = nn.weight @q2 hash "3f" : !q
    %s2 = nn.weight @s2 hash "4f" : !s
    %d2 = nn.dequantize %q2 by %s2 : (!q, !s) -> !d
    %w2 = nn.reshape %d2 to [64, 256] : (!d) -> !w
    %y2 = nn.linear %x, %w2 : (!x, !w) -> !y
    func.return %y, %y2, %w2 : !y, !y, !w
  }
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.*]] = nn.weight @prepare.0 hash {{.*}} : tensor<64x256xf32, #dev.on<"cpu", #dev.weight_only<int4, 32, 32>>>
// CHECK-NEXT: nn.linear %x, %[[W]]
// CHECK: nn.dequantize
// CHECK-NEXT: %[[D:.*]] = nn.reshape
// CHECK-NEXT: nn.weight @prepare.1 hash
// CHECK-NEXT: nn.linear
// CHECK-NEXT: func.return {{.*}}, %[[D]]
// CHECK-LABEL: func.func private @prepare
// CHECK: nn.pack %{{.*}} by %{{.*}} as #dev.weight_only<int4, 32, 32> : (tensor<64x8x32xi8>, tensor<64x8x1xf16>) -> tensor<2x8x144xf32>

// -----

// With zero points.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: nn.weight @prepare.0 hash {{.*}} : tensor<64x256xf32, #dev.on<"cpu", #dev.weight_only<uint4, 32, 32>>>
// CHECK-NEXT: nn.linear
// CHECK-LABEL: func.func private @prepare
// CHECK: nn.pack %{{.*}} by %{{.*}}, %{{.*}} as #dev.weight_only<uint4, 32, 32> : (tensor<64x8x32xui8>, tensor<64x8x1xf16>, tensor<64x8x1xi32>) -> tensor<2x8x152xf32>
!x = tensor<1x256xf32, #dev.on<"cpu">>
!y = tensor<1x64xf32, #dev.on<"cpu">>
!q = tensor<64x8x32xui8, #dev.on<"cpu">>
!s = tensor<64x8x1xf16, #dev.on<"cpu">>
!z = tensor<64x8x1xi32, #dev.on<"cpu">>
!d = tensor<64x8x32xf32, #dev.on<"cpu">>
!w = tensor<64x256xf32, #dev.on<"cpu">>

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
    threads = 1, weights = "uint4:32", cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: !x) -> !y {
    %q = nn.weight @q hash "1f" : !q
    %s = nn.weight @s hash "2f" : !s
    %z = nn.weight @z hash "3f" : !z
    %d = nn.dequantize %q by %s zero %z : (!q, !s, !z) -> !d
    %w = nn.reshape %d to [64, 256] : (!d) -> !w
    %y = nn.linear %x, %w : (!x, !w) -> !y
    func.return %y : !y
  }
}
