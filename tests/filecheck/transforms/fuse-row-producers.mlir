// RUN: devproc-opt %s -p fuse-row-producers | filecheck %s

// The sum of two parts joins the maxima of its rows: in @main once with the sum, which
// another kernel reads, and once without. What reads the sum keeps reading it in its shape.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[Q:.*]] = plan.view %p : tensor<2x6x8xf32, {{.*}} -> tensor<2x3x2x8xf32,
// CHECK-NEXT:    %[[A:.*]], %[[V:.*]] = dev.launch @sum_rows(%[[Q]])
// CHECK-NEXT:    %[[X:.*]] = plan.view %[[V]] : tensor<3x2x8xf32, {{.*}} -> tensor<6x8xf32,
// CHECK-NEXT:    %[[B:.*]] = dev.launch @columns(%[[X]])
// CHECK-NEXT:    %[[R:.*]] = plan.view %q
// CHECK-NEXT:    %[[C:.*]] = dev.launch @sum_rows_1(%[[R]])
// CHECK-NEXT:    dev.sync "cuda"
// CHECK-NEXT:    func.return %[[A]], %[[B]], %[[C]]
!p = tensor<2x6x8xf32, #dev.on<"cuda">>
!x = tensor<6x8xf32, #dev.on<"cuda">>
!v = tensor<3x2x8xf32, #dev.on<"cuda">>
!r = tensor<3x2xf32, #dev.on<"cuda">>
!c = tensor<8xf32, #dev.on<"cuda">>
func.func @main(%p: !p, %q: !p) -> (!r, !c, !r) {
  %x = dev.launch @sum(%p) : (!p) -> !x
  %v = plan.view %x : !x -> !v
  %a = dev.launch @rows(%v) : (!v) -> !r
  %b = dev.launch @columns(%x) : (!x) -> !c
  %y = dev.launch @sum(%q) : (!p) -> !x
  %w = plan.view %y : !x -> !v
  %c = dev.launch @rows(%w) : (!v) -> !r
  dev.sync "cuda"
  func.return %a, %b, %c : !r, !c, !r
}

// Neither columns, nor a transposed operand, nor an operand that is computed between the
// two, nor rows that part a dimension of the sum, nor rows of too many bytes.
// CHECK-LABEL: func.func @apart
// CHECK-NEXT:    dev.launch @sum(
// CHECK-NEXT:    dev.launch @columns(
// CHECK-NEXT:    dev.launch @transpose(
// CHECK-NEXT:    plan.view
// CHECK-NEXT:    dev.launch @rows(
// CHECK-NEXT:    dev.launch @sum(
// CHECK-NEXT:    dev.launch @columns(
// CHECK-NEXT:    dev.launch @scaled_rows(
// CHECK-NEXT:    dev.launch @sum(
// CHECK-NEXT:    plan.view
// CHECK-NEXT:    dev.launch @short_rows(
// CHECK-NEXT:    dev.launch @long_sum(
// CHECK-NEXT:    dev.launch @long_rows(
// CHECK-NEXT:    dev.sync "cuda"
// CHECK-NEXT:    func.return
!t = tensor<8x6xf32, #dev.on<"cuda">>
!s = tensor<6xf32, #dev.on<"cuda">>
!h = tensor<12x4xf32, #dev.on<"cuda">>
!m = tensor<12xf32, #dev.on<"cuda">>
!o = tensor<2x6x12000xf32, #dev.on<"cuda">>
!l = tensor<6x12000xf32, #dev.on<"cuda">>
func.func @apart(%p: !p, %t: !t, %o: !o) -> (!c, !r, !s, !m, !s) {
  %x = dev.launch @sum(%p) : (!p) -> !x
  %a = dev.launch @columns(%x) : (!x) -> !c
  %y = dev.launch @transpose(%t) : (!t) -> !x
  %v = plan.view %y : !x -> !v
  %b = dev.launch @rows(%v) : (!v) -> !r
  %z = dev.launch @sum(%p) : (!p) -> !x
  %k = dev.launch @columns(%y) : (!x) -> !c
  %d = dev.launch @scaled_rows(%z, %k) : (!x, !c) -> !s
  %u = dev.launch @sum(%p) : (!p) -> !x
  %h = plan.view %u : !x -> !h
  %e = dev.launch @short_rows(%h) : (!h) -> !m
  %l = dev.launch @long_sum(%o) : (!o) -> !l
  %f = dev.launch @long_rows(%l) : (!l) -> !s
  dev.sync "cuda"
  func.return %a, %b, %d, %e, %f : !c, !r, !s, !m, !s
}

// The producer of a producer, past a view that is defined between the two.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    %[[M:.*]] = plan.view %m : tensor<12x4xf32, {{.*}} -> tensor<6x8xf32,
// CHECK-NEXT:    %[[A:.*]] = dev.launch @sum_rows_2(%p, %[[M]])
// CHECK-NEXT:    dev.sync "cuda"
// CHECK-NEXT:    func.return %[[A]]
func.func @chain(%p: !p, %m: !h) -> !s {
  %x = dev.launch @sum(%p) : (!p) -> !x
  %n = plan.view %m : !h -> !x
  %y = dev.launch @added(%x, %n) : (!x, !x) -> !x
  %a = dev.launch @sums(%y) : (!x) -> !s
  dev.sync "cuda"
  func.return %a : !s
}
func.func private @added(%x: !x, %n: !x) -> !x
    attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.add"]>} {
  %e = tensor.empty() : !x
  %y = linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>,
                     affine_map<(m, n) -> (m, n)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x, %n : !x, !x) outs(%e : !x) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> !x
  func.return %y : !x
}

// An op that reads the index of a loop is fused in its own shape alone.
// CHECK-LABEL: func.func @indices
// CHECK-NEXT:    dev.launch @masked_rows(%x)
// CHECK-NEXT:    dev.launch @masked(%x)
// CHECK-NEXT:    plan.view
// CHECK-NEXT:    dev.launch @rows(
func.func @indices(%x: !x) -> (!s, !r) {
  %y = dev.launch @masked(%x) : (!x) -> !x
  %a = dev.launch @sums(%y) : (!x) -> !s
  %z = dev.launch @masked(%x) : (!x) -> !x
  %v = plan.view %z : !x -> !v
  %b = dev.launch @rows(%v) : (!v) -> !r
  dev.sync "cuda"
  func.return %a, %b : !s, !r
}
func.func private @masked(%x: !x) -> !x
    attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.where"]>} {
  %e = tensor.empty() : !x
  %zero = arith.constant 0.0 : f32
  %y = linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : !x) outs(%e : !x) {
  ^bb0(%a: f32, %old: f32):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %c = arith.cmpi slt, %m, %n : index
    %s = arith.select %c, %a, %zero : f32
    linalg.yield %s : f32
  } -> !x
  func.return %y : !x
}
func.func private @sums(%x: !x) -> !s
    attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_sum"]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %f = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %r = linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : !x) outs(%f : !s) {
  ^bb0(%a: f32, %old: f32):
    %t = arith.addf %old, %a : f32
    linalg.yield %t : f32
  } -> !s
  func.return %r : !s
}

// CHECK-LABEL: func.func private @sum(
// CHECK-SAME:    "pointwise", ["nn.linear"]
func.func private @sum(%p: !p) -> !x
    attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.linear"]>} {
  %e = tensor.empty() : !x
  %x = linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (0, m, n)>, affine_map<(m, n) -> (1, m, n)>,
                     affine_map<(m, n) -> (m, n)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%p, %p : !p, !p) outs(%e : !x) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> !x
  func.return %x : !x
}

// CHECK-LABEL: func.func private @sum_rows(
// CHECK-SAME:    "reduction", ["nn.linear", "nn.reduce_max"]
// CHECK:         affine_map<(d0, d1, d2) -> (0, d0, d1, d2)>, affine_map<(d0, d1, d2) -> (1, d0, d1, d2)>
// CHECK:         arith.addf
// CHECK:         arith.maximumf
// CHECK:         func.return {{.*}} : tensor<3x2xf32, {{.*}}, tensor<3x2x8xf32,
// CHECK-LABEL: func.func private @sum_rows_1(
// CHECK:         func.return {{.*}} : tensor<3x2xf32, #dev.on<"cuda">>
// CHECK-LABEL: func.func private @rows(
func.func private @rows(%v: !v) -> !r
    attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_max"]>} {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : !r
  %f = linalg.fill ins(%least : f32) outs(%e : !r) -> !r
  %r = linalg.generic {
    indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%v : !v) outs(%f : !r) {
  ^bb0(%a: f32, %old: f32):
    %t = arith.maximumf %old, %a : f32
    linalg.yield %t : f32
  } -> !r
  func.return %r : !r
}
func.func private @columns(%x: !x) -> !c
    attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_max"]>} {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : !c
  %f = linalg.fill ins(%least : f32) outs(%e : !c) -> !c
  %r = linalg.generic {
    indexing_maps = [affine_map<(n, m) -> (m, n)>, affine_map<(n, m) -> (n)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : !x) outs(%f : !c) {
  ^bb0(%a: f32, %old: f32):
    %t = arith.maximumf %old, %a : f32
    linalg.yield %t : f32
  } -> !c
  func.return %r : !c
}
func.func private @transpose(%t: !t) -> !x
    attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.transpose"]>} {
  %e = tensor.empty() : !x
  %x = linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m, n)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%t : !t) outs(%e : !x) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> !x
  func.return %x : !x
}
func.func private @scaled_rows(%x: !x, %c: !c) -> !s
    attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_sum"]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %f = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %r = linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
                     affine_map<(m, n) -> (m)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x, %c : !x, !c) outs(%f : !s) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> !s
  func.return %r : !s
}
func.func private @short_rows(%h: !h) -> !m
    attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_sum"]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !m
  %f = linalg.fill ins(%zero : f32) outs(%e : !m) -> !m
  %r = linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%h : !h) outs(%f : !m) {
  ^bb0(%a: f32, %old: f32):
    %t = arith.addf %old, %a : f32
    linalg.yield %t : f32
  } -> !m
  func.return %r : !m
}
func.func private @long_sum(%o: !o) -> !l
    attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.linear"]>} {
  %e = tensor.empty() : !l
  %x = linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (0, m, n)>, affine_map<(m, n) -> (1, m, n)>,
                     affine_map<(m, n) -> (m, n)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%o, %o : !o, !o) outs(%e : !l) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> !l
  func.return %x : !l
}
func.func private @long_rows(%l: !l) -> !s
    attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_sum"]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %f = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
  %r = linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%l : !l) outs(%f : !s) {
  ^bb0(%a: f32, %old: f32):
    %t = arith.addf %old, %a : f32
    linalg.yield %t : f32
  } -> !s
  func.return %r : !s
}
