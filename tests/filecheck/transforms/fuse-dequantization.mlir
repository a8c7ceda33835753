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

// -----

// Rows are read from the panels of the product, wherever it stands.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.*]] = nn.weight @prepare.0 hash {{.*}} : tensor<64x256xf32, #dev.on<"cpu", #dev.weight_only<uint4, 32, 32>>>
// CHECK-NEXT: %[[R:.*]] = nn.gather %[[W]] at %i axes [0] : (tensor<64x256xf32, #dev.on<"cpu", #dev.weight_only<uint4, 32, 32>>>, tensor<3x1xi64, #dev.on<"cpu">>) -> tensor<3x256xf32, #dev.on<"cpu">>
// CHECK-NEXT: %[[P:.*]] = nn.weight @prepare.0
// CHECK-NEXT: nn.linear %[[R]], %[[P]]
// CHECK-NEXT: func.return
!i = tensor<3x1xi64, #dev.on<"cpu">>
!j = tensor<3x1x1xi64, #dev.on<"cpu">>
!y = tensor<3x64xf32, #dev.on<"cpu">>
!q = tensor<64x8x32xui8, #dev.on<"cpu">>
!s = tensor<64x8x1xf16, #dev.on<"cpu">>
!z = tensor<64x8x1xi32, #dev.on<"cpu">>
!d = tensor<64x8x32xf32, #dev.on<"cpu">>
!w = tensor<64x256xf32, #dev.on<"cpu">>
!qr = tensor<3x8x32xui8, #dev.on<"cpu">>
!sr = tensor<3x8x1xf16, #dev.on<"cpu">>
!zr = tensor<3x8x1xi32, #dev.on<"cpu">>
!dr = tensor<3x8x32xf32, #dev.on<"cpu">>
!r = tensor<3x256xf32, #dev.on<"cpu">>

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
    threads = 1, weights = "uint4:32", cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%i: !i) -> !y {
    %q = nn.weight @q hash "1f" : !q
    %s = nn.weight @s hash "2f" : !s
    %z = nn.weight @z hash "3f" : !z
    %j = nn.reshape %i to [3, 1, 1] : (!i) -> !j
    %qr = nn.gather %q at %j axes [0] : (!q, !j) -> !qr
    %sr = nn.gather %s at %j axes [0] : (!s, !j) -> !sr
    %zr = nn.gather %z at %j axes [0] : (!z, !j) -> !zr
    %dr = nn.dequantize %qr by %sr zero %zr : (!qr, !sr, !zr) -> !dr
    %r = nn.reshape %dr to [3, 256] : (!dr) -> !r
    %d = nn.dequantize %q by %s zero %z : (!q, !s, !z) -> !d
    %w = nn.reshape %d to [64, 256] : (!d) -> !w
    %y = nn.linear %r, %w : (!r, !w) -> !y
    func.return %y : !y
  }
}

// -----

// Nothing multiplies the matrix: its rows stay rows.
// CHECK-LABEL: func.func @main
// CHECK: nn.gather {{.*}} : (tensor<64x256xbf16, #dev.on<"cpu">>
// CHECK-NEXT: nn.cast
!i = tensor<3x1xi64, #dev.on<"cpu">>
!q = tensor<64x256xbf16, #dev.on<"cpu">>
!n = tensor<3x256xbf16, #dev.on<"cpu">>
!r = tensor<3x256xf32, #dev.on<"cpu">>

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
    threads = 1, weights = "bfloat16", cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%i: !i) -> !r {
    %q = nn.weight @q hash "1f" : !q
    %n = nn.gather %q at %i axes [0] : (!q, !i) -> !n
    %r = nn.cast %n to f32 : (!n) -> !r
    func.return %r : !r
  }
}
