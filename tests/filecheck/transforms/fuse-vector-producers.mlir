// RUN: devproc-opt %s -p fuse-vector-producers --split-input-file | filecheck %s

// A norm becomes a part of both products that read it.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %y = dev.launch @linear_vector(%x, %w)
// CHECK-NEXT:    %z = dev.launch @linear_vector(%x, %w)
// CHECK:       func.func private @linear_vector(%x: {{.*}}, %w: {{.*}} "vector_product", ["nn.reduce_sum", "nn.mul", "nn.linear"]
// CHECK:         arith.addf
// CHECK:         arith.mulf
// CHECK:         arith.mulf
// CHECK:         arith.addf
// CHECK-NOT:   func.func
!x = tensor<1x8xf32, #dev.on<"cuda">>
!s = tensor<1x1xf32, #dev.on<"cuda">>
!w = tensor<4x8xf32, #dev.on<"cuda">>
!y = tensor<1x4xf32, #dev.on<"cuda">>
func.func @main(%x: !x, %w: !w) -> (!y, !y) {
  %n = dev.launch @norm(%x) : (!x) -> !x
  %y = dev.launch @linear(%n, %w) : (!x, !w) -> !y
  %z = dev.launch @linear(%n, %w) : (!x, !w) -> !y
  dev.sync "cuda"
  func.return %y, %z : !y, !y
}
func.func private @norm(%x: !x) -> !x
    attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_sum", "nn.mul"]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %f = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %s = linalg.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 0)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : !x) outs(%f : !s) {
  ^bb0(%a: f32, %old: f32):
    %t = arith.addf %old, %a : f32
    linalg.yield %t : f32
  } -> !s
  %o = tensor.empty() : !x
  %n = linalg.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 0)>,
                     affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x, %s : !x, !s) outs(%o : !x) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> !x
  func.return %n : !x
}
func.func private @linear(%n: !x, %w: !w) -> !y
    attributes {dev.kernel = #dev.kernel<"cuda", "contraction", ["nn.linear"]>} {
  %null = arith.constant 0.0 : f32
  %g = tensor.empty() : !y
  %h = linalg.fill ins(%null : f32) outs(%g : !y) -> !y
  %y = linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%n, %w : !x, !w) outs(%h : !y) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> !y
  func.return %y : !y
}

// -----

// Something else reads the row, too: it has a kernel.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %n = dev.launch @norm(%x)
// CHECK-NEXT:    %y = dev.launch @linear(%n, %w)
// CHECK-NOT:   vector_product
!x = tensor<1x8xf32, #dev.on<"cuda">>
!s = tensor<1x1xf32, #dev.on<"cuda">>
!w = tensor<4x8xf32, #dev.on<"cuda">>
!y = tensor<1x4xf32, #dev.on<"cuda">>
func.func @main(%x: !x, %w: !w) -> (!y, !x) {
  %n = dev.launch @norm(%x) : (!x) -> !x
  %y = dev.launch @linear(%n, %w) : (!x, !w) -> !y
  dev.sync "cuda"
  func.return %y, %n : !y, !x
}
func.func private @norm(%x: !x) -> !x
    attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_sum", "nn.mul"]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %f = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %s = linalg.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 0)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : !x) outs(%f : !s) {
  ^bb0(%a: f32, %old: f32):
    %t = arith.addf %old, %a : f32
    linalg.yield %t : f32
  } -> !s
  %o = tensor.empty() : !x
  %n = linalg.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 0)>,
                     affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x, %s : !x, !s) outs(%o : !x) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> !x
  func.return %n : !x
}
func.func private @linear(%n: !x, %w: !w) -> !y
    attributes {dev.kernel = #dev.kernel<"cuda", "contraction", ["nn.linear"]>} {
  %null = arith.constant 0.0 : f32
  %g = tensor.empty() : !y
  %h = linalg.fill ins(%null : f32) outs(%g : !y) -> !y
  %y = linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%n, %w : !x, !w) outs(%h : !y) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> !y
  func.return %y : !y
}

// -----

// Two rows are a product of matrices.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %n = dev.launch @norm(%x)
// CHECK-NEXT:    %y = dev.launch @linear(%n, %w)
// CHECK-NOT:   vector_product
!x = tensor<2x8xf32, #dev.on<"cuda">>
!s = tensor<2x1xf32, #dev.on<"cuda">>
!w = tensor<4x8xf32, #dev.on<"cuda">>
!y = tensor<2x4xf32, #dev.on<"cuda">>
func.func @main(%x: !x, %w: !w) -> !y {
  %n = dev.launch @norm(%x) : (!x) -> !x
  %y = dev.launch @linear(%n, %w) : (!x, !w) -> !y
  dev.sync "cuda"
  func.return %y : !y
}
func.func private @norm(%x: !x) -> !x
    attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_sum", "nn.mul"]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %f = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %s = linalg.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 0)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : !x) outs(%f : !s) {
  ^bb0(%a: f32, %old: f32):
    %t = arith.addf %old, %a : f32
    linalg.yield %t : f32
  } -> !s
  %o = tensor.empty() : !x
  %n = linalg.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 0)>,
                     affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x, %s : !x, !s) outs(%o : !x) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> !x
  func.return %n : !x
}
func.func private @linear(%n: !x, %w: !w) -> !y
    attributes {dev.kernel = #dev.kernel<"cuda", "contraction", ["nn.linear"]>} {
  %null = arith.constant 0.0 : f32
  %g = tensor.empty() : !y
  %h = linalg.fill ins(%null : f32) outs(%g : !y) -> !y
  %y = linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%n, %w : !x, !w) outs(%h : !y) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> !y
  func.return %y : !y
}
