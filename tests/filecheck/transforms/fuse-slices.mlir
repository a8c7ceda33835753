// RUN: devproc-opt %s --split-input-file -p convert-nn-to-linalg,fuse-pointwise | filecheck %s

// Heads of merged projections in a decode step on the CPU: a rotary embedding is one kernel,
// which reads its slice of the product in place; the row of a cache is made where it is
// stored.
// CHECK-LABEL: @main
!y = tensor<1x1x20xf32, #dev.on<"cpu">>
!rows = tensor<1x1x5x4xf32, #dev.on<"cpu">>
!q = tensor<1x3x1x4xf32, #dev.on<"cpu">>
!k = tensor<1x2x1x4xf32, #dev.on<"cpu">>
!half = tensor<1x3x1x2xf32, #dev.on<"cpu">>
!angle = tensor<1x1x1x4xf32, #dev.on<"cpu">>
!cache = tensor<1x2x8x4xf32, #dev.on<"cpu">>
!at = tensor<1x1x1x1xi64, #dev.on<"cpu">>
// CHECK:      %[[P:.*]] = linalg.generic {{.*}}kernel.family = "reduction", kernel.group = 0
// CHECK:      %[[V:.*]] = plan.view %[[P]] : {{.*}} -> tensor<5x4xf32
// CHECK:      %[[R:.*]] = linalg.generic {{.*}}affine_map<(d0, d1, d2, d3) -> ((d1 + 3), d3)>{{.*}} ins(%[[V]] :
// CHECK-SAME:   kernel.sources = ["nn.slice"], kernel.group = 1
// CHECK:      linalg_ext.scatter %[[R]] at %at into %cache axis 2
// CHECK:      kernel.family = "scatter", {{.*}}kernel.group = 1
// CHECK:      linalg_ext.generic {{.*}}affine_map<(d0, d1, d2, d3) -> (d1, d3)>{{.*}} ins(%[[V]], %cos, %sin
// CHECK-SAME:   kernel.family = "gather", kernel.group = 2
// CHECK:        tensor.extract %[[V]]
// CHECK:        arith.mulf
// CHECK:        tensor.extract %[[V]]
func.func @main(%x: tensor<1x1x8xf32, #dev.on<"cpu">>, %w: tensor<20x8xf32, #dev.on<"cpu">>, %cos: !angle, %sin: !angle,
    %at: !at, %cache: !cache) -> (!q, !cache) {
  %p = nn.linear %x, %w : (tensor<1x1x8xf32, #dev.on<"cpu">>, tensor<20x8xf32, #dev.on<"cpu">>) -> !y
  %h = nn.reshape %p to [1, 1, 5, 4] : (!y) -> !rows
  %s = nn.slice %h from [0, 0, 0, 0] size [1, 1, 3, 4] step [1, 1, 1, 1] : (!rows) -> tensor<1x1x3x4xf32, #dev.on<"cpu">>
  %q = nn.reshape %s to [1, 3, 1, 4] : (tensor<1x1x3x4xf32, #dev.on<"cpu">>) -> !q
  %a = nn.mul %q, %cos : (!q, !angle) -> !q
  %low = nn.slice %q from [0, 0, 0, 0] size [1, 3, 1, 2] step [1, 1, 1, 1] : (!q) -> !half
  %high = nn.slice %q from [0, 0, 0, 2] size [1, 3, 1, 2] step [1, 1, 1, 1] : (!q) -> !half
  %minus = nn.constant dense<-1.0> : tensor<f32> : tensor<f32, #dev.on<"cpu">>
  %neg = nn.mul %high, %minus : (!half, tensor<f32, #dev.on<"cpu">>) -> !half
  %turned = nn.concat %neg, %low axis 3 : (!half, !half) -> !q
  %b = nn.mul %turned, %sin : (!q, !angle) -> !q
  %rotated = nn.add %a, %b : (!q, !q) -> !q
  %t = nn.slice %h from [0, 0, 3, 0] size [1, 1, 2, 4] step [1, 1, 1, 1] : (!rows) -> tensor<1x1x2x4xf32, #dev.on<"cpu">>
  %k = nn.reshape %t to [1, 2, 1, 4] : (tensor<1x1x2x4xf32, #dev.on<"cpu">>) -> !k
  %new = nn.scatter %k into %cache at %at axis 2 mode "set" : (!k, !cache, !at) -> !cache
  func.return %rotated, %new : !q, !cache
}

// -----

// A scatter into what its updates are computed from has a kernel of its own, which can write
// in place; so has one whose updates another op reads, too.
// CHECK-LABEL: @apart
!row = tensor<1x4xf32, #dev.on<"cpu">>
!table = tensor<8x4xf32, #dev.on<"cpu">>
!place = tensor<1x1xi64, #dev.on<"cpu">>
// CHECK:      kernel.family = "pointwise", kernel.group = 0
// CHECK:      linalg_ext.scatter
// CHECK:      } {kernel.family = "scatter", kernel.sources = ["nn.scatter"]} :
// CHECK:      kernel.family = "pointwise", kernel.group = 1
// CHECK:      linalg_ext.scatter
// CHECK:      } {kernel.family = "scatter", kernel.sources = ["nn.scatter"]} :
func.func @apart(%x: !row, %at: !place, %first: !table, %second: !table) -> (!table, !table, !row) {
  %old = nn.slice %first from [0, 0] size [1, 4] step [1, 1] : (!table) -> !row
  %sum = nn.add %old, %x : (!row, !row) -> !row
  %a = nn.scatter %sum into %first at %at axis 0 mode "set" : (!row, !table, !place) -> !table
  %e = nn.exp %x : (!row) -> !row
  %b = nn.scatter %e into %second at %at axis 0 mode "set" : (!row, !table, !place) -> !table
  func.return %a, %b, %e : !table, !table, !row
}
