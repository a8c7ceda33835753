// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'dev.region' (unknown source) reads a result of 'cuda' on the host before the dev.sync "cuda" that orders it
func.func @main(%x: tensor<2xf32, #dev.on<"cuda">>) {
  %h = dev.copy %x : tensor<2xf32, #dev.on<"cuda">> to tensor<2xf32, #dev.on<"cpu">>
  %r = dev.region "cpu" (%h) : (tensor<2xf32, #dev.on<"cpu">>) -> tensor<2xf32, #dev.on<"cpu">> {
  ^bb0(%a: tensor<2xf32, #dev.on<"cpu">>):
    dev.yield %a : tensor<2xf32, #dev.on<"cpu">>
  }
  dev.sync "cuda"
  func.return
}

// -----

// CHECK: in a region on 'cuda' uses a value of 'cpu': a value crosses devices only through dev.copy
func.func @main(%x: tensor<2xf32, #dev.on<"cpu">>) {
  %r = dev.region "cuda" (%x) : (tensor<2xf32, #dev.on<"cpu">>) -> tensor<2xf32, #dev.on<"cpu">> {
  ^bb0(%a: tensor<2xf32, #dev.on<"cpu">>):
    dev.yield %a : tensor<2xf32, #dev.on<"cpu">>
  }
  func.return
}

// -----

// CHECK: dev.copy from 'cpu' to itself is redundant
func.func @main(%x: tensor<2xf32, #dev.on<"cpu">>) {
  %y = dev.copy %x : tensor<2xf32, #dev.on<"cpu">> to tensor<2xf32, #dev.on<"cpu">>
  func.return
}

// -----

// CHECK: no Winograd transform for tiles of 3; there are [2, 4]
func.func private @filters(tensor<3x3x8x32xf32, #dev.on<"cpu", #dev.winograd<3, 16>>>)

// -----

// CHECK: the panels of #dev.winograd must be positive
func.func private @filters(tensor<3x3x8x32xf32, #dev.on<"cpu", #dev.winograd<4, 0>>>)

// -----

// CHECK: the stride and the panels of #dev.winograd_line must be positive
func.func private @filters(tensor<7x7x3x32xf32, #dev.on<"cpu", #dev.winograd_line<0, 16>>>)

// -----

// CHECK: the panels of #dev.strassen must be positive
func.func private @weight(tensor<64x8xf32, #dev.on<"cpu", #dev.strassen<0>>>)

// -----

// CHECK: #dev.inner_product needs outputs in a panel, terms in three parts, and slices
func.func private @weight(tensor<64x8xf32, #dev.on<"cpu", #dev.inner_product<16, 32>>>)

// -----

// CHECK: #dev.block_float needs panels of a multiple of 4 outputs, and terms
func.func private @weight(tensor<64x8xf32, #dev.on<"cpu", #dev.block_float<6, 8>>>)

// -----

// CHECK: 'logit' is not an overload: expected namespace.operator.overload
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = dev.host_call "logit" (%x) args [#dev.operand<0>] kwargs {} why "" : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----

// CHECK: the arguments name the operands [1], the call has 1
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = dev.host_call "aten.logit.default" (%x) args [[#dev.operand<1>]] kwargs {} why "" : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----

// CHECK: a host call cannot take or return tensor<2xi7>
func.func @main(%x: tensor<2xf32>) -> tensor<2xi7> {
  %y = dev.host_call "aten.logit.default" (%x) args [#dev.operand<0>] kwargs {} why "" : (tensor<2xf32>) -> tensor<2xi7>
  func.return %y : tensor<2xi7>
}

// -----

// CHECK: a host call needs static shapes, got tensor<?xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<?xf32> {
  %y = dev.host_call "aten.logit.default" (%x) args [#dev.operand<0>] kwargs {} why "" : (tensor<2xf32>) -> tensor<?xf32>
  func.return %y : tensor<?xf32>
}

// -----

// CHECK: aten.logit.default returns no tensor
func.func @main(%x: tensor<2xf32>) {
  dev.host_call "aten.logit.default" (%x) args [#dev.operand<0>] kwargs {} why "" : (tensor<2xf32>) -> ()
  func.return
}

// -----

// CHECK: unknown kind 'stream' of a PyTorch constant
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = dev.host_call "aten.logit.default" (%x) args [#dev.operand<0>, #dev.torch<"stream", "0">] kwargs {} why "" : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----

// CHECK: kernel @host_0 has type
func.func @main(%x: memref<2xi16, #dev.on<"cpu">>, %y: memref<f32, #dev.on<"cpu">>) {
  plan.launch @host_0(%x) -> (%y) : (memref<2xi16, #dev.on<"cpu">>) -> (memref<f32, #dev.on<"cpu">>)
  func.return
}
func.func private @host_0(%v: tensor<2xui8, #dev.on<"cpu">>) -> tensor<f32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"host", "region", []>} {
  %s = dev.host_call "mine.one.default" (%v) args [#dev.operand<0>] kwargs {} why "" : (tensor<2xui8, #dev.on<"cpu">>) -> tensor<f32, #dev.on<"cpu">>
  func.return %s : tensor<f32, #dev.on<"cpu">>
}

// -----

// CHECK: @main takes the states 's' (tensor<2xf32>) and returns none
func.func @main(%x: tensor<2xf32>, %s: tensor<2xf32> {dev.state = "s"}) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}

// -----

// CHECK: @main takes the states 's' (tensor<2xf32>) and returns 's' (tensor<2xi32>)
func.func @main(%x: tensor<2xi32>, %s: tensor<2xf32> {dev.state = "s"}) -> (tensor<2xi32> {dev.state = "s"}) {
  func.return %x : tensor<2xi32>
}

// -----

// CHECK: the states of @main must follow its inputs and outputs
func.func @main(%s: tensor<2xf32> {dev.state = "s"}, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32> {dev.state = "s"}) {
  func.return %x, %s : tensor<2xf32>, tensor<2xf32>
}

// -----

// CHECK: @main takes the states 's' (memref<2xf32>) and returns 't' (memref<2xf32>)
func.func @main(%s: memref<2xf32> {dev.state = "s", dev.role = "input"}, %t: memref<2xf32> {dev.state = "t", dev.role = "output"}) {
  func.return
}

// -----

// CHECK: 'cpu' runs in the host's order and has no streams
%e = dev.record "cpu" stream 1 : !dev.event

// -----

// CHECK: there is no stream -1
%e = dev.record "cuda" stream -1 : !dev.event

// -----

// Updates in place: nothing reads the old value later, and nothing else writes there.

// CHECK: @k (unknown source) reads the state 's' after its update by @scatter (unknown source)
!s = tensor<4xf32, #dev.on<"cpu">>
func.func private @scatter(!s, !s) -> !s
func.func private @k(!s) -> !s
func.func @main(%x: !s, %s: !s {dev.state = "s", dev.in_place}) -> (!s, !s {dev.state = "s"}) {
  %r = dev.launch @scatter(%x, %s) {dev.updates = array<i64: 1>} : (!s, !s) -> !s
  %y = dev.launch @k(%s) : (!s) -> !s
  func.return %y, %r : !s, !s
}

// -----

// CHECK: two launches update the state 's': @scatter (unknown source) and @scatter (unknown source)
!s = tensor<4xf32, #dev.on<"cpu">>
func.func private @scatter(!s, !s) -> !s
func.func @main(%x: !s, %s: !s {dev.state = "s", dev.in_place}) -> (!s, !s {dev.state = "s"}) {
  %r = dev.launch @scatter(%x, %s) {dev.updates = array<i64: 1>} : (!s, !s) -> !s
  %y = dev.launch @scatter(%x, %s) {dev.updates = array<i64: 1>} : (!s, !s) -> !s
  func.return %y, %r : !s, !s
}

// -----

// CHECK: 'func.return' (unknown source) reads a value after its update by @scatter (unknown source)
!s = tensor<4xf32, #dev.on<"cpu">>
func.func private @scatter(!s, !s) -> !s
func.func private @k(!s) -> !s
func.func @main(%x: !s) -> (!s, !s) {
  %a = dev.launch @k(%x) : (!s) -> !s
  %r = dev.launch @scatter(%x, %a) {dev.updates = array<i64: 1>} : (!s, !s) -> !s
  func.return %a, %r : !s, !s
}

// -----

// CHECK: @scatter (unknown source) overwrites a value that it may only read
!s = tensor<4xf32, #dev.on<"cpu">>
func.func private @scatter(!s, !s) -> !s
func.func @main(%x: !s) -> !s {
  %r = dev.launch @scatter(%x, %x) {dev.updates = array<i64: 1>} : (!s, !s) -> !s
  func.return %r : !s
}

// -----

// CHECK: @scatter (unknown source) reads the state 's' beside its update
!s = tensor<4xf32, #dev.on<"cpu">>
func.func private @scatter(!s, !s) -> !s
func.func @main(%s: !s {dev.state = "s", dev.in_place}) -> (!s {dev.state = "s"}) {
  %r = dev.launch @scatter(%s, %s) {dev.updates = array<i64: 1>} : (!s, !s) -> !s
  func.return %r : !s
}

// -----

// CHECK: @scatter (unknown source) gives a buffer of its own to what its kernel updates in place
!s = tensor<4xf32, #dev.on<"cpu">>
func.func private @scatter(!s, !s) -> !s attributes {dev.updates = array<i64: 1>}
func.func @main(%x: !s) -> !s {
  %r = dev.launch @scatter(%x, %x) : (!s, !s) -> !s
  func.return %r : !s
}

// -----

// CHECK: @k (unknown source) reads the state 's' after @k (unknown source) has overwritten it
!s = tensor<4xf32, #dev.on<"cpu">>
func.func private @k(!s) -> !s
func.func @main(%x: !s, %s: !s {dev.state = "s", dev.in_place}) -> (!s, !s {dev.state = "s"}) {
  %r = dev.launch @k(%x) : (!s) -> !s
  %y = dev.launch @k(%s) : (!s) -> !s
  func.return %y, %r : !s, !s
}

// -----

// CHECK: the state 's' is updated in place, but no launch computes its new value
!s = tensor<4xf32, #dev.on<"cpu">>
func.func private @k(!s) -> !s
func.func @main(%x: !s, %s: !s {dev.state = "s", dev.in_place}) -> (!s, !s {dev.state = "s"}) {
  %y = dev.launch @k(%s) : (!s) -> !s
  func.return %y, %x : !s, !s
}

// -----

// CHECK: 'dev.copy' (unknown source) copies the state 's', which is updated in place
!s = tensor<4xf32, #dev.on<"cpu">>
!g = tensor<4xf32, #dev.on<"cuda">>
func.func private @k(!g) -> !g
func.func private @k2(!s) -> !s
func.func @main(%s: !s {dev.state = "s", dev.in_place}) -> (!s {dev.state = "s"}) {
  %c = dev.copy %s : !s to !g
  %r = dev.launch @k(%c) : (!g) -> !g
  %b = dev.copy %r : !g to !s
  dev.sync "cuda"
  %n = dev.launch @k2(%b) : (!s) -> !s
  func.return %n : !s
}

// -----

// CHECK: #dev.weight_only stores int8, int4, uint8, uint4, bfloat16, float16, not 'int5'
func.func private @weight(tensor<64x32xf32, #dev.on<"cpu", #dev.weight_only<int5, 32, 16>>>)

// -----

// CHECK: #dev.weight_only needs terms in pairs, of integers in eights, and panels
func.func private @weight(tensor<64x32xf32, #dev.on<"cpu", #dev.weight_only<int8, 4, 16>>>)

// -----

// CHECK: with zero points of fours
func.func private @weight(tensor<64x32xf32, #dev.on<"cpu", #dev.weight_only<uint4, 32, 6>>>)
