// RUN: devproc-opt %s -p bufferize --split-input-file | filecheck %s

// The result and its view: computed right in the output. The same value as a second
// output, and an input as an output: copy kernels at the end.

func.func @main(%x: tensor<2x3xf32, #dev.on<"cpu">> {dev.name = "x"})
    -> (tensor<6xf32, #dev.on<"cpu">> {dev.name = "y"}, tensor<6xf32, #dev.on<"cpu">> {dev.name = "z"}, tensor<2x3xf32, #dev.on<"cpu">> {dev.name = "w"}) {
  %h = dev.launch @k(%x) : (tensor<2x3xf32, #dev.on<"cpu">>) -> tensor<2x3xf32, #dev.on<"cpu">>
  %y = plan.view %h : tensor<2x3xf32, #dev.on<"cpu">> -> tensor<6xf32, #dev.on<"cpu">>
  func.return %y, %y, %x : tensor<6xf32, #dev.on<"cpu">>, tensor<6xf32, #dev.on<"cpu">>, tensor<2x3xf32, #dev.on<"cpu">>
}
func.func private @k(tensor<2x3xf32, #dev.on<"cpu">>) -> tensor<2x3xf32, #dev.on<"cpu">>

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %x: memref<2x3xf32, #dev.on<"cpu">> {dev.name = "x", dev.role = "input"}
// CHECK-SAME:    %y: memref<6xf32, #dev.on<"cpu">> {dev.name = "y", dev.role = "output"}
// CHECK-NEXT:  [[H:%.+]] = plan.view %y : memref<6xf32, #dev.on<"cpu">> -> memref<2x3xf32, #dev.on<"cpu">>
// CHECK-NEXT:  plan.launch @k(%x) -> ([[H]])
// CHECK-NEXT:  plan.launch @copy_output_0(%y) -> (%{{.*}}) : (memref<6xf32
// CHECK-NEXT:  plan.launch @copy_output_1(%x) -> (%{{.*}}) : (memref<2x3xf32
// CHECK-NEXT:  func.return

// -----

// Copies between devices keep their destination; what no output takes is an alloc.

func.func @main(%x: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">> {
  %w = nn.weight @w hash "0" : tensor<4xf32, #dev.on<"cuda">>
  %a = dev.copy %x : tensor<4xf32, #dev.on<"cpu">> to tensor<4xf32, #dev.on<"cuda">>
  %b = dev.launch @k(%a, %w) : (tensor<4xf32, #dev.on<"cuda">>, tensor<4xf32, #dev.on<"cuda">>) -> tensor<4xf32, #dev.on<"cuda">>
  %c = dev.copy %b : tensor<4xf32, #dev.on<"cuda">> to tensor<4xf32, #dev.on<"cpu">>
  dev.sync "cuda"
  func.return %c : tensor<4xf32, #dev.on<"cpu">>
}
func.func private @k(tensor<4xf32, #dev.on<"cuda">>, tensor<4xf32, #dev.on<"cuda">>) -> tensor<4xf32, #dev.on<"cuda">>

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %x: {{.*}}, %c: {{.*}})
// CHECK-NEXT:  %w = plan.weight @w hash "0" : memref<4xf32, #dev.on<"cuda">>
// CHECK-NEXT:  %a = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
// CHECK-NEXT:  plan.copy %x to %a
// CHECK-NEXT:  %b = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
// CHECK-NEXT:  plan.launch @k(%a, %w) -> (%b)
// CHECK-NEXT:  plan.copy %b to %c
// CHECK-NEXT:  dev.sync "cuda"
// CHECK-NEXT:  func.return

// -----

// In a kernel: the padded image is filled, then the image copied into it at the offset
// of the padding; the accumulator and the epilogue share the output's memory; a value
// picked by computed indices is a load.

#map = affine_map<(d0) -> (d0)>
func.func private @window(%x: tensor<4xf32, #dev.on<"cpu">>, %w: tensor<3xf32, #dev.on<"cpu">>, %t: tensor<4xf32, #dev.on<"cpu">>)
    -> tensor<4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>} {
  %padded = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    %border = arith.constant 0.0 : f32
    tensor.yield %border : f32
  } : tensor<4xf32, #dev.on<"cpu">> to tensor<6xf32, #dev.on<"cpu">>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32, #dev.on<"cpu">>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
  %p = linalg.generic {indexing_maps = [affine_map<(o, k) -> (o + k)>, affine_map<(o, k) -> (k)>, affine_map<(o, k) -> (o)>], iterator_types = ["parallel", "reduction"]}
    ins(%padded, %w : tensor<6xf32, #dev.on<"cpu">>, tensor<3xf32, #dev.on<"cpu">>) outs(%fill : tensor<4xf32, #dev.on<"cpu">>) {
  ^bb1(%f: f32, %g: f32, %acc: f32):
    %m = arith.mulf %f, %g : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<4xf32, #dev.on<"cpu">>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
    ins(%p : tensor<4xf32, #dev.on<"cpu">>) outs(%empty : tensor<4xf32, #dev.on<"cpu">>) {
  ^bb2(%f: f32, %o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %t[%i] : tensor<4xf32, #dev.on<"cpu">>
    %s = arith.addf %f, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32, #dev.on<"cpu">>
  func.return %y : tensor<4xf32, #dev.on<"cpu">>
}

// CHECK-LABEL: func.func private @window(
// CHECK-SAME:    %x: {{.*}}, %w: {{.*}}, %t: {{.*}}, [[Y:%.+]]: memref<4xf32, #dev.on<"cpu">>)
// CHECK:       [[PAD:%.+]] = memref.alloca() {alignment = 64 : i64} : memref<6xf32, #dev.on<"cpu">>
// CHECK-NEXT:  linalg.fill ins(%border : f32) outs([[PAD]] :
// CHECK-NEXT:  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ((d0 + 1))>], iterator_types = ["parallel"]} ins(%x :{{.*}} outs([[PAD]] :
// CHECK:       linalg.fill ins(%zero : f32) outs([[Y]] :
// CHECK-NEXT:  linalg.generic {{.*}} ins([[PAD]], %w : {{.*}}) outs([[Y]] :
// CHECK:       linalg.generic {{.*}} ins([[Y]] : {{.*}}) outs([[Y]] :
// CHECK:         memref.load %t[%i]

// -----

// A loop: the hidden state, which is stacked as well, is read where it lies in the stack;
// its last place is copied after the loop. The next cell takes the place of the one before,
// of which @gates reads each element only where it writes it. Scratch memory is the host's.

!h = tensor<4xf32, #dev.on<"cpu">>
!x = tensor<3x4xf32, #dev.on<"cpu">>
func.func @main(%x: !x, %h: !h, %c: !h) -> (!h, !h, !x) {
  %hn, %cn, %all = dev.launch @loop(%x, %h, %c) : (!x, !h, !h) -> (!h, !h, !x)
  func.return %hn, %cn, %all : !h, !h, !x
}
func.func private @product(!h, !h) -> !h
func.func private @gates(%p: !h, %c: !h) -> (!h, !h) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
  %e = tensor.empty() : !h
  %f = tensor.empty() : !h
  %n, %m = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%p, %c : !h, !h) outs(%e, %f : !h, !h) {
  ^bb0(%a: f32, %b: f32, %o: f32, %q: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s, %a : f32, f32
  } -> (!h, !h)
  func.return %n, %m : !h, !h
}
func.func private @loop(%x: !x, %h: !h, %c: !h) -> (!h, !h, !x) attributes {dev.kernel = #dev.kernel<"cpu", "loop", ["nn.loop"]>} {
  %hn, %cn, %all = nn.loop steps 3 reverse 1 over (%x : !x) carry (%h, %c : !h, !h) with () -> (!h, !h) stack (!x) {
  ^bb0(%now: !h, %a: !h, %b: !h):
    %p = dev.launch @product(%now, %a) : (!h, !h) -> !h
    %m, %n = dev.launch @gates(%p, %b) : (!h, !h) -> (!h, !h)
    nn.yield carry (%n, %m : !h, !h) stack (%n : !h)
  }
  func.return %hn, %cn, %all : !h, !h, !x
}

// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    [[S:%.+]] = memref.alloc()
// CHECK-NEXT:    plan.launch @loop(%x, %h, %c) -> (%hn, %cn, %all, [[S]])
// CHECK:       func.func private @loop(%x: {{.*}}, %h: {{.*}}, %c: {{.*}}, [[H:%[0-9]+]]: {{.*}}, [[C:%[0-9]+]]: {{.*}}, [[ALL:%[0-9]+]]: {{.*}}, [[P:%[a-z0-9]+]]: {{.*}})
// CHECK-NEXT:    plan.launch @copy_carried_0(%c) -> ([[C]])
// CHECK-NEXT:    [[ZERO:%.+]] = arith.constant 0 : index
// CHECK-NEXT:    [[STEPS:%.+]] = arith.constant 3 : index
// CHECK-NEXT:    [[ONE:%.+]] = arith.constant 1 : index
// CHECK-NEXT:    [[END:%.+]] = scf.for [[I:%.+]] = [[ZERO]] to [[STEPS]] step [[ONE]] iter_args([[BEFORE:%.+]] = %h) -> (memref<4xf32, #dev.on<"cpu">>) {
// CHECK-NEXT:      [[LAST:%.+]] = arith.constant 2 : index
// CHECK-NEXT:      [[STEP:%.+]] = arith.subi [[LAST]], [[I]] : index
// CHECK-NEXT:      [[NOW:%.+]] = plan.slice %x[[[STEP]]]
// CHECK-NEXT:      [[PLACE:%.+]] = plan.slice [[ALL]][[[STEP]]]
// CHECK-NEXT:      plan.launch @product([[NOW]], [[BEFORE]]) -> ([[P]])
// CHECK-NEXT:      plan.launch @gates([[P]], [[C]]) -> ([[C]], [[PLACE]])
// CHECK-NEXT:      scf.yield [[PLACE]]
// CHECK-NEXT:    }
// CHECK-NEXT:    plan.launch @copy_carried_0([[END]]) -> ([[H]])
// CHECK-NEXT:    func.return

// -----

// Carried values that exchange their places leave them first. What a step before still
// needs (@k reads %a after @k made its follower) is not overwritten.

!h = tensor<4xf32, #dev.on<"cpu">>
func.func @main(%h: !h) -> (!h, !h, !h) {
  %r:3 = dev.launch @loop(%h, %h, %h) : (!h, !h, !h) -> (!h, !h, !h)
  func.return %r#0, %r#1, %r#2 : !h, !h, !h
}
func.func private @k(!h) -> !h
func.func private @loop(%h: !h, %g: !h, %f: !h) -> (!h, !h, !h) attributes {dev.kernel = #dev.kernel<"cpu", "loop", ["nn.loop"]>} {
  %r:3 = nn.loop steps 3 reverse 0 over () carry (%h, %g, %f : !h, !h, !h) with () -> (!h, !h, !h) stack () {
  ^bb0(%a: !h, %b: !h, %c: !h):
    %d = dev.launch @k(%c) : (!h) -> !h
    nn.yield carry (%b, %a, %d : !h, !h, !h) stack ()
  }
  func.return %r#0, %r#1, %r#2 : !h, !h, !h
}

// CHECK:       scf.for
// CHECK-NEXT:    plan.launch @k([[C:%.+]]) -> ([[D:%.+]]) :
// CHECK-NEXT:    plan.launch @copy_carried_0([[B:%.+]]) -> ([[T:%.+]]) :
// CHECK-NEXT:    plan.launch @copy_carried_0([[A:%.+]]) -> ([[U:%.+]]) :
// CHECK-NEXT:    plan.launch @copy_carried_0([[T]]) -> ([[A]]) :
// CHECK-NEXT:    plan.launch @copy_carried_0([[U]]) -> ([[B]]) :
// CHECK-NEXT:    plan.launch @copy_carried_0([[D]]) -> ([[C]]) :
// CHECK-NEXT:  }

// -----

// A state in place is one argument, which launches read and write; a copy is an output.

// CHECK-LABEL: func.func @main(%u: memref<1xf32, #dev.on<"cpu">> {dev.name = "u", dev.role = "input"}, %i: memref<1xi64, #dev.on<"cpu">> {dev.name = "i", dev.role = "input"}, %s: memref<2x4xf32, #dev.on<"cpu">> {dev.name = "s", dev.state = "s", dev.in_place, dev.role = "state"}, %t: memref<2x4xf32, #dev.on<"cpu">> {dev.name = "t", dev.state = "t", dev.two_places = "", dev.role = "input"}, %r: memref<2x4xf32, #dev.on<"cpu">> {dev.name = "y", dev.role = "output"}, %t_1: memref<2x4xf32, #dev.on<"cpu">> {dev.name = "t", dev.state = "t", dev.role = "output"}) {
// CHECK-NEXT:    %f = plan.view %s : memref<2x4xf32, #dev.on<"cpu">> -> memref<8xf32, #dev.on<"cpu">>
// CHECK-NEXT:    plan.launch @scatter(%u, %i, %f) -> (%f) {dev.updates = array<i64: 2>}
// CHECK-NEXT:    %r_1 = plan.view %f : memref<8xf32, #dev.on<"cpu">> -> memref<2x4xf32, #dev.on<"cpu">>
// CHECK-NEXT:    plan.launch @copy_output_0(%r_1) -> (%r)
// CHECK-NEXT:    plan.launch @copy_output_0(%t) -> (%t_1)
// CHECK-NEXT:    func.return
// CHECK:       func.func private @scatter(%u: memref<1xf32, #dev.on<"cpu">>, %i: memref<1xi64, #dev.on<"cpu">>, %t: memref<8xf32, #dev.on<"cpu">>, %0: memref<8xf32, #dev.on<"cpu">>)
// CHECK-NEXT:    linalg_ext.scatter %u at %i into %0 axis 0 {
!cache = tensor<2x4xf32, #dev.on<"cpu">>
!flat = tensor<8xf32, #dev.on<"cpu">>
!row = tensor<1xf32, #dev.on<"cpu">>
!at = tensor<1xi64, #dev.on<"cpu">>
func.func @main(%u: !row {dev.name = "u"}, %i: !at {dev.name = "i"}, %s: !cache {dev.name = "s", dev.state = "s", dev.in_place},
    %t: !cache {dev.name = "t", dev.state = "t", dev.two_places = ""})
    -> (!cache {dev.name = "y"}, !cache {dev.name = "s", dev.state = "s"}, !cache {dev.name = "t", dev.state = "t"}) {
  %f = plan.view %s : !cache -> !flat
  %a = dev.launch @scatter(%u, %i, %f) {dev.updates = array<i64: 2>} : (!row, !at, !flat) -> !flat
  %r = plan.view %a : !flat -> !cache
  func.return %r, %r, %t : !cache, !cache, !cache
}
func.func private @scatter(%u: !row, %i: !at, %t: !flat) -> !flat
    attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>, dev.updates = array<i64: 2>} {
  %r = linalg_ext.scatter %u at %i into %t axis 0 {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  } : (!row, !at, !flat) -> !flat
  func.return %r : !flat
}

// -----

// What updates a value in place is computed in the same output as the value.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %r: memref<4xf32, #dev.on<"cpu">> {dev.name = "y", dev.role = "output"}) {
// CHECK-NEXT:    plan.launch @exp(%x) -> (%r)
// CHECK-NEXT:    plan.launch @scatter(%x, %i, %r) -> (%r) {dev.updates = array<i64: 2>}
// CHECK-NEXT:    func.return
!x = tensor<4xf32, #dev.on<"cpu">>
!at = tensor<4xi64, #dev.on<"cpu">>
func.func @main(%x: !x {dev.name = "x"}, %i: !at {dev.name = "i"}) -> (!x {dev.name = "y"}) {
  %a = dev.launch @exp(%x) : (!x) -> !x
  %r = dev.launch @scatter(%x, %i, %a) {dev.updates = array<i64: 2>} : (!x, !at, !x) -> !x
  func.return %r : !x
}
func.func private @exp(%a: !x) -> !x attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>}
func.func private @scatter(%u: !x, %i: !at, %t: !x) -> !x
    attributes {dev.kernel = #dev.kernel<"cpu", "scatter", ["nn.scatter"]>, dev.updates = array<i64: 2>}
