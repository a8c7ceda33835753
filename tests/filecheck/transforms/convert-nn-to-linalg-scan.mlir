// RUN: devproc-opt %s -p convert-nn-to-linalg --split-input-file | filecheck %s

// Floats are summed up in f64.
// CHECK-LABEL: func.func @sums
// CHECK:       linalg_ext.scan %x into %{{.*}} axis 1 start [0.000000e+00 : f64] {
// CHECK-NEXT:  ^bb0(%[[A:.*]]: f64, %[[B:.*]]: f64):
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[A]], %[[B]] : f64
// CHECK-NEXT:    linalg.yield %[[S]] : f64
// CHECK-NEXT:  } {kernel.family = "scan", kernel.sources = ["nn.cumsum"]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @sums(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nn.cumsum %x axis -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @products
// CHECK:       linalg_ext.scan %x into %{{.*}} axis 0 start [1 : i8] {
// CHECK:         arith.muli %{{.*}}, %{{.*}} : i8
func.func @products(%x: tensor<2x3xui8>) -> tensor<2x3xui8> {
  %r = nn.cumprod %x axis 0 : (tensor<2x3xui8>) -> tensor<2x3xui8>
  func.return %r : tensor<2x3xui8>
}

// The sign of bytes is in the comparison. Of equal elements the later one wins.
// CHECK-LABEL: func.func @largest
// CHECK:       %{{.*}}, %{{.*}} = linalg_ext.scan %x into %{{.*}}, %{{.*}} axis 1 start [0 : i8, 0 : i64] {
// CHECK-NEXT:  ^bb0(%[[A:.*]]: i8, %[[P:.*]]: i64, %[[B:.*]]: i8, %[[Q:.*]]: i64):
// CHECK-NEXT:    %[[W:.*]] = arith.cmpi uge, %[[B]], %[[A]] : i8
// CHECK-NEXT:    arith.select %[[W]], %[[B]], %[[A]] : i8
// CHECK-NEXT:    arith.select %[[W]], %[[Q]], %[[P]] : i64
func.func @largest(%x: tensor<2x3xui8>) -> (tensor<2x3xui8>, tensor<2x3xi64>) {
  %v, %i = nn.cummax %x axis 1 : (tensor<2x3xui8>) -> (tensor<2x3xui8>, tensor<2x3xi64>)
  func.return %v, %i : tensor<2x3xui8>, tensor<2x3xi64>
}

// f16 is compared as f32; a NaN wins over all before it.
// CHECK-LABEL: func.func @smallest
// CHECK:       axis 0 start [0x7f800000 : f32, 0 : i64]
// CHECK:         arith.cmpf ole
// CHECK:         arith.cmpf uno
func.func @smallest(%x: tensor<2x3xf16>) -> tensor<2x3xi64> {
  %v, %i = nn.cummin %x axis 0 : (tensor<2x3xf16>) -> (tensor<2x3xf16>, tensor<2x3xi64>)
  func.return %i : tensor<2x3xi64>
}

// Places that nobody reads are not carried along.
// CHECK-LABEL: func.func @values
// CHECK:       linalg_ext.scan %x into %{{.*}} axis 1 start [-9223372036854775808 : i64] {
// CHECK:         arith.maxsi
func.func @values(%x: tensor<2x3xi64>) -> tensor<2x3xi64> {
  %v, %i = nn.cummax %x axis 1 : (tensor<2x3xi64>) -> (tensor<2x3xi64>, tensor<2x3xi64>)
  func.return %v : tensor<2x3xi64>
}

// -----

// On a GPU as well.
// CHECK-LABEL: func.func @on_gpu
// CHECK:       linalg_ext.scan %x
// CHECK:         math.exp
// CHECK:         math.log1p
func.func @on_gpu(%x: tensor<2x3xf32, #dev.on<"cuda">>) -> tensor<2x3xf32, #dev.on<"cuda">> {
  %r = nn.logcumsumexp %x axis 1 : (tensor<2x3xf32, #dev.on<"cuda">>) -> tensor<2x3xf32, #dev.on<"cuda">>
  func.return %r : tensor<2x3xf32, #dev.on<"cuda">>
}

// Few long rows of a GPU are scanned in parts.
// CHECK-LABEL: func.func @in_parts
// CHECK:       %[[T:.*]] = linalg_ext.scan_totals %x into %{{.*}} axis 1 size 4096 start [0.000000e+00 : f64]
// CHECK:       : (tensor<2x20001xf32, #dev.on<"cuda">>, tensor<2x4xf64, #dev.on<"cuda">>)
// CHECK:       linalg_ext.scan_parts %x : {{.*}} after %[[T]] : {{.*}} axis 1 size 4096
func.func @in_parts(%x: tensor<2x20001xf32, #dev.on<"cuda">>) -> tensor<2x20001xf32, #dev.on<"cuda">> {
  %r = nn.cumsum %x axis 1 : (tensor<2x20001xf32, #dev.on<"cuda">>) -> tensor<2x20001xf32, #dev.on<"cuda">>
  func.return %r : tensor<2x20001xf32, #dev.on<"cuda">>
}
