// RUN: devproc-opt %s -p update-in-place --split-input-file | filecheck %s

// A scatter into a state writes into its place; the launch comes after the reader of the
// old value, and another launch of the kernel has a copy that does not.

// CHECK-LABEL: func.func @main(%u: tensor<1x4xf32, #dev.on<"cpu">> {dev.name = "u"}, %i: tensor<1x1xi64, #dev.on<"cpu">> {dev.name = "i"}, %x: tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "x"}, %s: tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "s", dev.state = "s", dev.in_place}) -> (tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "y"}, tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "z"}, tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "s", dev.state = "s"}) {
// CHECK:    %y = dev.launch @exp(%s) : (tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:    %r = dev.launch @scatter_in_place(%u, %i, %s) {dev.updates = array<i64: 2>} : (tensor<1x4xf32, #dev.on<"cpu">>, tensor<1x1xi64, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:    %z = dev.launch @scatter(%u, %i, %x) : (tensor<1x4xf32, #dev.on<"cpu">>, tensor<1x1xi64, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:    func.return %y, %z, %r : tensor<8x4xf32, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:  func.func private @exp(tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>}
// CHECK:  func.func private @scatter(%u: tensor<1x4xf32, #dev.on<"cpu">>, %i: tensor<1x1xi64, #dev.on<"cpu">>, %t: tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
// CHECK:    func.return %r : tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:  func.func private @scatter_in_place(%u: tensor<1x4xf32, #dev.on<"cpu">>, %i: tensor<1x1xi64, #dev.on<"cpu">>, %t: tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>, dev.updates = array<i64: 2>} {
// CHECK:    func.return %r : tensor<8x4xf32, #dev.on<"cpu">>
!cache = tensor<8x4xf32, #dev.on<"cpu">>
!row = tensor<1x4xf32, #dev.on<"cpu">>
!at = tensor<1x1xi64, #dev.on<"cpu">>
module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
  func.func @main(%u: !row {dev.name = "u"}, %i: !at {dev.name = "i"}, %x: !cache {dev.name = "x"},
      %s: !cache {dev.name = "s", dev.state = "s"}) -> (!cache {dev.name = "y"}, !cache {dev.name = "z"}, !cache {dev.name = "s", dev.state = "s"}) {
    %r = dev.launch @scatter(%u, %i, %s) : (!row, !at, !cache) -> !cache
    %y = dev.launch @exp(%s) : (!cache) -> !cache
    %z = dev.launch @scatter(%u, %i, %x) : (!row, !at, !cache) -> !cache
    func.return %y, %z, %r : !cache, !cache, !cache
  }
  func.func private @exp(%a: !cache) -> !cache attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>}
  func.func private @scatter(%u: !row, %i: !at, %t: !cache) -> !cache
      attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
    %r = linalg_ext.scatter %u at %i into %t axis 0 {
    ^bb0(%new: f32, %old: f32):
      linalg.yield %new : f32
    } : (!row, !at, !cache) -> !cache
    func.return %r : !cache
  }
}

// -----

// Two updates of a view of a state, the second one of each element: both in its place.
// CHECK-LABEL: func.func @main(%u: tensor<1xf32, #dev.on<"cpu">> {dev.name = "u"}, %i: tensor<1xi64, #dev.on<"cpu">> {dev.name = "i"}, %s: tensor<2x4xf32, #dev.on<"cpu">> {dev.name = "s", dev.state = "s", dev.in_place}) -> (tensor<2x4xf32, #dev.on<"cpu">> {dev.name = "s", dev.state = "s"}) {
// CHECK:    %f = plan.view %s : tensor<2x4xf32, #dev.on<"cpu">> -> tensor<8xf32, #dev.on<"cpu">>
// CHECK:    %a = dev.launch @scatter(%u, %i, %f) {dev.updates = array<i64: 2>} : (tensor<1xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>, tensor<8xf32, #dev.on<"cpu">>) -> tensor<8xf32, #dev.on<"cpu">>
// CHECK:    %b = dev.launch @scatter(%u, %i, %a) {dev.updates = array<i64: 2>} : (tensor<1xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>, tensor<8xf32, #dev.on<"cpu">>) -> tensor<8xf32, #dev.on<"cpu">>
// CHECK:    %r = plan.view %b : tensor<8xf32, #dev.on<"cpu">> -> tensor<2x4xf32, #dev.on<"cpu">>
// CHECK:    func.return %r : tensor<2x4xf32, #dev.on<"cpu">>
// CHECK:  func.func private @scatter(%u: tensor<1xf32, #dev.on<"cpu">>, %i: tensor<1xi64, #dev.on<"cpu">>, %t: tensor<8xf32, #dev.on<"cpu">>) -> tensor<8xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>, dev.updates = array<i64: 2>} {
// CHECK:    func.return %r : tensor<8xf32, #dev.on<"cpu">>
!cache = tensor<2x4xf32, #dev.on<"cpu">>
!flat = tensor<8xf32, #dev.on<"cpu">>
!row = tensor<1xf32, #dev.on<"cpu">>
!at = tensor<1xi64, #dev.on<"cpu">>
module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
  func.func @main(%u: !row {dev.name = "u"}, %i: !at {dev.name = "i"}, %s: !cache {dev.name = "s", dev.state = "s"})
      -> (!cache {dev.name = "s", dev.state = "s"}) {
    %f = plan.view %s : !cache -> !flat
    %a = dev.launch @scatter(%u, %i, %f) : (!row, !at, !flat) -> !flat
    %b = dev.launch @scatter(%u, %i, %a) : (!row, !at, !flat) -> !flat
    %r = plan.view %b : !flat -> !cache
    func.return %r : !cache
  }
  func.func private @scatter(%u: !row, %i: !at, %t: !flat) -> !flat
      attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
    %r = linalg_ext.scatter %u at %i into %t axis 0 {
    ^bb0(%new: f32, %old: f32):
      %sum = arith.addf %old, %new : f32
      linalg.yield %sum : f32
    } : (!row, !at, !flat) -> !flat
    func.return %r : !flat
  }
}

// -----

// An elementwise update is in place if it reads what it writes; a state that is written
// without being read, too; one whose new value needs other elements of the old is not.
// CHECK-LABEL: func.func @main(%x: tensor<4xf32, #dev.on<"cpu">> {dev.name = "x"}, %a: tensor<4xf32, #dev.on<"cpu">> {dev.name = "a", dev.state = "a", dev.in_place}, %b: tensor<4xf32, #dev.on<"cpu">> {dev.name = "b", dev.state = "b", dev.in_place}, %c: tensor<4xf32, #dev.on<"cpu">> {dev.name = "c", dev.state = "c", dev.two_places = "@flip (unknown source) reads it otherwise than element by element"}) -> (tensor<4xf32, #dev.on<"cpu">> {dev.name = "a", dev.state = "a"}, tensor<4xf32, #dev.on<"cpu">> {dev.name = "b", dev.state = "b"}, tensor<4xf32, #dev.on<"cpu">> {dev.name = "c", dev.state = "c"}) {
// CHECK:    %a1 = dev.launch @add(%a, %x) {dev.updates = array<i64: 0>} : (tensor<4xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
// CHECK:    %b1 = dev.launch @add(%x, %x) : (tensor<4xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
// CHECK:    %c1 = dev.launch @flip(%c) : (tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
// CHECK:    func.return %a1, %b1, %c1 : tensor<4xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>
// CHECK:  func.func private @add(%a: tensor<4xf32, #dev.on<"cpu">>, %x: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
// CHECK:    func.return %y : tensor<4xf32, #dev.on<"cpu">>
// CHECK:  func.func private @flip(%a: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.slice"]>} {
// CHECK:    func.return %y : tensor<4xf32, #dev.on<"cpu">>
!s = tensor<4xf32, #dev.on<"cpu">>
module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
  func.func @main(%x: !s {dev.name = "x"}, %a: !s {dev.name = "a", dev.state = "a"}, %b: !s {dev.name = "b", dev.state = "b"},
      %c: !s {dev.name = "c", dev.state = "c"})
      -> (!s {dev.name = "a", dev.state = "a"}, !s {dev.name = "b", dev.state = "b"}, !s {dev.name = "c", dev.state = "c"}) {
    %a1 = dev.launch @add(%a, %x) : (!s, !s) -> !s
    %b1 = dev.launch @add(%x, %x) : (!s, !s) -> !s
    %c1 = dev.launch @flip(%c) : (!s) -> !s
    func.return %a1, %b1, %c1 : !s, !s, !s
  }
  func.func private @add(%a: !s, %x: !s) -> !s attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
    %empty = tensor.empty() : !s
    %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a, %x : !s, !s) outs(%empty : !s) {
    ^bb1(%v: f32, %w: f32, %o: f32):
      %e = arith.addf %v, %w : f32
      linalg.yield %e : f32
    } -> !s
    func.return %y : !s
  }
  func.func private @flip(%a: !s) -> !s attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.slice"]>} {
    %empty = tensor.empty() : !s
    %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (3 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : !s) outs(%empty : !s) {
    ^bb1(%v: f32, %o: f32):
      linalg.yield %v : f32
    } -> !s
    func.return %y : !s
  }
}

// -----

// Two places, because of: an output, a reader that needs the new value, a second reading.
// CHECK-LABEL: func.func @main(%u: tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "u"}, %i: tensor<8x1xi64, #dev.on<"cpu">> {dev.name = "i"}, %a: tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "a", dev.state = "a", dev.two_places = "its old value is an output"}, %b: tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "b", dev.state = "b", dev.two_places = "@both (unknown source) reads its old value after the update"}, %c: tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "c", dev.state = "c", dev.two_places = "@scatter (unknown source) reads it beside the update"}) -> (tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "y"}, tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "z"}, tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "a", dev.state = "a"}, tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "b", dev.state = "b"}, tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "c", dev.state = "c"}) {
// CHECK:    %a1 = dev.launch @scatter(%u, %i, %a) : (tensor<8x4xf32, #dev.on<"cpu">>, tensor<8x1xi64, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:    %b1 = dev.launch @scatter(%u, %i, %b) : (tensor<8x4xf32, #dev.on<"cpu">>, tensor<8x1xi64, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:    %z = dev.launch @both(%b, %b1) : (tensor<8x4xf32, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:    %c1 = dev.launch @scatter(%c, %i, %c) : (tensor<8x4xf32, #dev.on<"cpu">>, tensor<8x1xi64, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:    func.return %a, %z, %a1, %b1, %c1 : tensor<8x4xf32, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:  func.func private @both(tensor<8x4xf32, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>}
// CHECK:  func.func private @scatter(%u: tensor<8x4xf32, #dev.on<"cpu">>, %i: tensor<8x1xi64, #dev.on<"cpu">>, %t: tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
// CHECK:    func.return %r : tensor<8x4xf32, #dev.on<"cpu">>
!cache = tensor<8x4xf32, #dev.on<"cpu">>
!at = tensor<8x1xi64, #dev.on<"cpu">>
module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
  func.func @main(%u: !cache {dev.name = "u"}, %i: !at {dev.name = "i"}, %a: !cache {dev.name = "a", dev.state = "a"},
      %b: !cache {dev.name = "b", dev.state = "b"}, %c: !cache {dev.name = "c", dev.state = "c"})
      -> (!cache {dev.name = "y"}, !cache {dev.name = "z"}, !cache {dev.name = "a", dev.state = "a"}, !cache {dev.name = "b", dev.state = "b"}, !cache {dev.name = "c", dev.state = "c"}) {
    %a1 = dev.launch @scatter(%u, %i, %a) : (!cache, !at, !cache) -> !cache
    %b1 = dev.launch @scatter(%u, %i, %b) : (!cache, !at, !cache) -> !cache
    %z = dev.launch @both(%b, %b1) : (!cache, !cache) -> !cache
    %c1 = dev.launch @scatter(%c, %i, %c) : (!cache, !at, !cache) -> !cache
    func.return %a, %z, %a1, %b1, %c1 : !cache, !cache, !cache, !cache, !cache
  }
  func.func private @both(%a: !cache, %b: !cache) -> !cache attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>}
  func.func private @scatter(%u: !cache, %i: !at, %t: !cache) -> !cache
      attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
    %r = linalg_ext.scatter %u at %i into %t axis 0 {
    ^bb0(%new: f32, %old: f32):
      linalg.yield %new : f32
    } : (!cache, !at, !cache) -> !cache
    func.return %r : !cache
  }
}

// -----

// A check may depend on the new value of a state that guard-updates has not marked; values of
// the call itself are updated all the same.
// CHECK-LABEL: func.func @main(%u: tensor<1x4xf32, #dev.on<"cpu">> {dev.name = "u"}, %i: tensor<1x1xi64, #dev.on<"cpu">> {dev.name = "i"}, %s: tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "s", dev.state = "s", dev.two_places = "a check depends on its new value, and may refuse the call"}) -> (tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "y"}, tensor<8x4xf32, #dev.on<"cpu">> {dev.name = "s", dev.state = "s"}) {
// CHECK:    %r = dev.launch @scatter(%u, %i, %s) : (tensor<1x4xf32, #dev.on<"cpu">>, tensor<1x1xi64, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:    %e = dev.launch @exp(%r) : (tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:    %y = dev.launch @scatter_in_place(%u, %i, %e) {dev.updates = array<i64: 2>} : (tensor<1x4xf32, #dev.on<"cpu">>, tensor<1x1xi64, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:    func.return %y, %r : tensor<8x4xf32, #dev.on<"cpu">>, tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:  func.func private @exp(tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>}
// CHECK:  func.func private @scatter(%u: tensor<1x4xf32, #dev.on<"cpu">>, %i: tensor<1x1xi64, #dev.on<"cpu">>, %t: tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
// CHECK:    func.return %r : tensor<8x4xf32, #dev.on<"cpu">>
// CHECK:  func.func private @scatter_in_place(%u: tensor<1x4xf32, #dev.on<"cpu">>, %i: tensor<1x1xi64, #dev.on<"cpu">>, %t: tensor<8x4xf32, #dev.on<"cpu">>) -> tensor<8x4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>, dev.updates = array<i64: 2>} {
// CHECK:    func.return %r : tensor<8x4xf32, #dev.on<"cpu">>
!cache = tensor<8x4xf32, #dev.on<"cpu">>
!row = tensor<1x4xf32, #dev.on<"cpu">>
!at = tensor<1x1xi64, #dev.on<"cpu">>
module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, check_values = 1>,
    devproc.checks = [{of = "aten.index.Tensor", what = "index", lower = 0 : i64, upper = 7 : i64,
    shape = array<i64: 1>, where = "unknown source"}]} {
  func.func @main(%u: !row {dev.name = "u"}, %i: !at {dev.name = "i"}, %s: !cache {dev.name = "s", dev.state = "s"}) -> (!cache {dev.name = "y"}, !cache {dev.name = "s", dev.state = "s"}) {
    %r = dev.launch @scatter(%u, %i, %s) : (!row, !at, !cache) -> !cache
    %e = dev.launch @exp(%r) : (!cache) -> !cache
    %y = dev.launch @scatter(%u, %i, %e) : (!row, !at, !cache) -> !cache
    func.return %y, %r : !cache, !cache
  }
  func.func private @exp(%a: !cache) -> !cache attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>}
  func.func private @scatter(%u: !row, %i: !at, %t: !cache) -> !cache
      attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>} {
    %r = linalg_ext.scatter %u at %i into %t axis 0 {
    ^bb0(%new: f32, %old: f32):
      linalg.yield %new : f32
    } : (!row, !at, !cache) -> !cache
    func.return %r : !cache
  }
}

// -----

// A state of a device: its launches move as those of the host do, but not past a copy.
// CHECK-LABEL: func.func @main(%u: tensor<1x4xf32, #dev.on<"cpu">> {dev.name = "u"}, %i: tensor<1x1xi64, #dev.on<"cuda">> {dev.name = "i"}, %s: tensor<8x4xf32, #dev.on<"cuda">> {dev.name = "s", dev.state = "s", dev.in_place}, %t: tensor<8x4xf32, #dev.on<"cuda">> {dev.name = "t", dev.state = "t", dev.two_places = "@exp (unknown source) reads its old value after the update"})
// CHECK-NEXT:    %c = dev.copy %u
// CHECK-NEXT:    %y = dev.launch @exp(%s)
// CHECK-NEXT:    %r = dev.launch @scatter_in_place(%c, %i, %s) {dev.updates = array<i64: 2>}
// CHECK-NEXT:    %q = dev.launch @scatter(%c, %i, %t) :
// CHECK-NEXT:    %d = dev.copy %u
// CHECK-NEXT:    %z = dev.launch @exp(%t)
!host = tensor<1x4xf32, #dev.on<"cpu">>
!cache = tensor<8x4xf32, #dev.on<"cuda">>
!row = tensor<1x4xf32, #dev.on<"cuda">>
!at = tensor<1x1xi64, #dev.on<"cuda">>
module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1>} {
  func.func @main(%u: !host {dev.name = "u"}, %i: !at {dev.name = "i"},
      %s: !cache {dev.name = "s", dev.state = "s"}, %t: !cache {dev.name = "t", dev.state = "t"})
      -> (!cache {dev.name = "y"}, !cache {dev.name = "z"}, !row {dev.name = "d"}, !cache {dev.name = "s", dev.state = "s"}, !cache {dev.name = "t", dev.state = "t"}) {
    %c = dev.copy %u : !host to !row
    %r = dev.launch @scatter(%c, %i, %s) : (!row, !at, !cache) -> !cache
    %y = dev.launch @exp(%s) : (!cache) -> !cache
    %q = dev.launch @scatter(%c, %i, %t) : (!row, !at, !cache) -> !cache
    %d = dev.copy %u : !host to !row
    %z = dev.launch @exp(%t) : (!cache) -> !cache
    dev.sync "cuda"
    func.return %y, %z, %d, %r, %q : !cache, !cache, !row, !cache, !cache
  }
  func.func private @exp(%a: !cache) -> !cache attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.exp"]>}
  func.func private @scatter(%u: !row, %i: !at, %t: !cache) -> !cache
      attributes {dev.kernel = #dev.kernel<"cuda", "scatter", ["nn.scatter"]>} {
    %r = linalg_ext.scatter %u at %i into %t axis 0 {
    ^bb0(%new: f32, %old: f32):
      linalg.yield %new : f32
    } : (!row, !at, !cache) -> !cache
    func.return %r : !cache
  }
}

// -----

// Two devices compute: the call may fail between them, after the update.
// CHECK-LABEL: func.func @main(%x: tensor<4xf32, #dev.on<"cpu">> {dev.name = "x"}, %s: tensor<4xf32, #dev.on<"cuda">> {dev.name = "s", dev.state = "s", dev.two_places = "a call runs in several steps, of which a later one may fail"})
!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>
module attributes {devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1>} {
  func.func @main(%x: !host {dev.name = "x"}, %s: !cuda {dev.name = "s", dev.state = "s"})
      -> (!host {dev.name = "y"}, !cuda {dev.name = "s", dev.state = "s"}) {
    %r = dev.launch @on_cuda(%s) : (!cuda) -> !cuda
    %y = dev.launch @on_cpu(%x) : (!host) -> !host
    dev.sync "cuda"
    func.return %y, %r : !host, !cuda
  }
  func.func private @on_cuda(%a: !cuda) -> !cuda attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.exp"]>}
  func.func private @on_cpu(%a: !host) -> !host attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>}
}
