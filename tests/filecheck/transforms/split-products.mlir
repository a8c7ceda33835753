// RUN: devproc-opt %s -p split-products | filecheck %s

// A sum of 4096 terms for each of 64 results, which are one tile: sixteen parts, which the
// second kernel adds in order. @product is launched twice.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[P:.*]] = dev.launch @product_parts(%x, %w) : {{.*}} -> tensor<16x8x8xf32, #dev.on<"cuda">>
// CHECK-NEXT:    %[[Y:.*]] = dev.launch @product(%[[P]]) : {{.*}} -> tensor<8x8xf32, #dev.on<"cuda">>
// CHECK-NEXT:    %[[Q:.*]] = dev.launch @product_parts(%x, %x)
// CHECK-NEXT:    %[[Z:.*]] = dev.launch @product(%[[Q]])
// CHECK-NEXT:    dev.launch @short(%[[Y]], %[[Z]])
// CHECK-LABEL: func.func private @product_parts
// CHECK-SAME:    "contraction", ["nn.matmul"]
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>]
// CHECK-LABEL: func.func private @product(%parts
// CHECK-SAME:    "pointwise", ["nn.matmul"]
// CHECK-NOT:     arith.mulf
// CHECK-COUNT-15: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         linalg.yield
// CHECK-LABEL: func.func private @short
// CHECK:         arith.mulf
// CHECK-LABEL: func.func private @host
// CHECK:         arith.mulf
!x = tensor<8x4096xf32, #dev.on<"cuda">>
!y = tensor<8x8xf32, #dev.on<"cuda">>
!h = tensor<8x4096xf32, #dev.on<"cpu">>
!r = tensor<8x8xf32, #dev.on<"cpu">>
func.func @main(%x: !x, %w: !x, %h: !h) -> (!y, !r) {
  %y = dev.launch @product(%x, %w) : (!x, !x) -> !y
  %z = dev.launch @product(%x, %x) : (!x, !x) -> !y
  %s = dev.launch @short(%y, %z) : (!y, !y) -> !y
  %r = dev.launch @host(%h, %h) : (!h, !h) -> !r
  dev.sync "cuda"
  func.return %s, %r : !y, !r
}
func.func private @product(%x: !x, %w: !x) -> !y
    attributes {dev.kernel = #dev.kernel<"cuda", "contraction", ["nn.matmul"]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !y
  %f = linalg.fill ins(%zero : f32) outs(%e : !y) -> !y
  %s = linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : !x, !x) outs(%f : !y) {
  ^bb0(%a: f32, %c: f32, %old: f32):
    %r = arith.mulf %a, %c : f32
    %t = arith.addf %old, %r : f32
    linalg.yield %t : f32
  } -> !y
  func.return %s : !y
}
func.func private @short(%x: !y, %w: !y) -> !y
    attributes {dev.kernel = #dev.kernel<"cuda", "contraction", ["nn.matmul"]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !y
  %f = linalg.fill ins(%zero : f32) outs(%e : !y) -> !y
  %s = linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : !y, !y) outs(%f : !y) {
  ^bb0(%a: f32, %c: f32, %old: f32):
    %r = arith.mulf %a, %c : f32
    %t = arith.addf %old, %r : f32
    linalg.yield %t : f32
  } -> !y
  func.return %s : !y
}
func.func private @host(%x: !h, %w: !h) -> !r
    attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !r
  %f = linalg.fill ins(%zero : f32) outs(%e : !r) -> !r
  %s = linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : !h, !h) outs(%f : !r) {
  ^bb0(%a: f32, %c: f32, %old: f32):
    %r = arith.mulf %a, %c : f32
    %t = arith.addf %old, %r : f32
    linalg.yield %t : f32
  } -> !r
  func.return %s : !r
}
