// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: buffers 0 and 1 of the 'cpu' arena are live together and overlap
func.func private @k(memref<16xf32, #dev.on<"cpu">>, memref<16xf32, #dev.on<"cpu">>)
func.func @main(%x: memref<16xf32, #dev.on<"cpu">>, %y: memref<16xf32, #dev.on<"cpu">>) {
  %arena = plan.arena "cpu" : memref<128xi8, #dev.on<"cpu">>
  %a = plan.buffer %arena id 0 offset 0 bytes 64 live 0 to 1 : memref<128xi8, #dev.on<"cpu">> -> memref<16xf32, #dev.on<"cpu">>
  %b = plan.buffer %arena id 1 offset 0 bytes 64 live 1 to 2 : memref<128xi8, #dev.on<"cpu">> -> memref<16xf32, #dev.on<"cpu">>
  plan.launch @k(%x) -> (%a) : (memref<16xf32, #dev.on<"cpu">>) -> (memref<16xf32, #dev.on<"cpu">>)
  plan.launch @k(%a) -> (%b) : (memref<16xf32, #dev.on<"cpu">>) -> (memref<16xf32, #dev.on<"cpu">>)
  plan.launch @k(%b) -> (%y) : (memref<16xf32, #dev.on<"cpu">>) -> (memref<16xf32, #dev.on<"cpu">>)
  func.return
}

// -----

// CHECK: buffer 0 is used from step 0 to 1, but planned live from 0 to 0
func.func private @k(memref<16xf32, #dev.on<"cpu">>, memref<16xf32, #dev.on<"cpu">>)
func.func @main(%x: memref<16xf32, #dev.on<"cpu">>, %y: memref<16xf32, #dev.on<"cpu">>) {
  %arena = plan.arena "cpu" : memref<128xi8, #dev.on<"cpu">>
  %a = plan.buffer %arena id 0 offset 0 bytes 64 live 0 to 0 : memref<128xi8, #dev.on<"cpu">> -> memref<16xf32, #dev.on<"cpu">>
  plan.launch @k(%x) -> (%a) : (memref<16xf32, #dev.on<"cpu">>) -> (memref<16xf32, #dev.on<"cpu">>)
  plan.launch @k(%a) -> (%y) : (memref<16xf32, #dev.on<"cpu">>) -> (memref<16xf32, #dev.on<"cpu">>)
  func.return
}

// -----

// CHECK: 'plan.launch' (unknown source) reads a result of 'cuda' on the host before the dev.sync "cuda" that orders it
func.func private @k(memref<16xf32, #dev.on<"cpu">>, memref<16xf32, #dev.on<"cpu">>)
func.func @main(%d: memref<16xf32, #dev.on<"cuda">>, %x: memref<16xf32, #dev.on<"cpu">>, %y: memref<16xf32, #dev.on<"cpu">>) {
  plan.copy %d to %x : memref<16xf32, #dev.on<"cuda">> to memref<16xf32, #dev.on<"cpu">>
  plan.launch @k(%x) -> (%y) : (memref<16xf32, #dev.on<"cpu">>) -> (memref<16xf32, #dev.on<"cpu">>)
  dev.sync "cuda"
  func.return
}

// -----

// CHECK: plan.slice of memref<3x4xf32> must drop its first axis and nothing else, got memref<3xf32>
func.func @main(%x: memref<3x4xf32>, %i: index) {
  %s = plan.slice %x[%i] : memref<3x4xf32> -> memref<3xf32>
  func.return
}

// -----

// CHECK: @k (unknown source) overwrites a buffer that it reads, and is no update of it
!s = memref<4xf32, #dev.on<"cpu">>
func.func private @k(!s, !s)
func.func @main(%s: !s {dev.state = "s", dev.in_place, dev.role = "state"}) {
  plan.launch @k(%s) -> (%s) : (!s) -> (!s)
  func.return
}

// -----

// CHECK: @k (unknown source) updates input 0 in place, but output 0 is another buffer
!s = memref<4xf32, #dev.on<"cpu">>
func.func private @k(!s, !s)
func.func @main(%x: !s, %s: !s {dev.state = "s", dev.in_place, dev.role = "state"}) {
  plan.launch @k(%s) -> (%x) {dev.updates = array<i64: 0>} : (!s) -> (!s)
  func.return
}

// -----

// CHECK: @k (unknown source) gives a buffer of its own to what its kernel updates in place
!s = memref<4xf32, #dev.on<"cpu">>
func.func private @k(!s, !s) attributes {dev.updates = array<i64: 0>}
func.func @main(%x: !s, %s: !s {dev.state = "s", dev.in_place, dev.role = "state"}) {
  plan.launch @k(%x) -> (%s) : (!s) -> (!s)
  func.return
}

// -----

// CHECK: 'plan.copy' (unknown source) copies the state 's', which is updated in place
!s = memref<4xf32, #dev.on<"cpu">>
func.func private @k(!s, !s)
func.func @main(%x: !s {dev.role = "output"}, %s: !s {dev.state = "s", dev.in_place, dev.role = "state"}) {
  plan.launch @k(%x) -> (%s) : (!s) -> (!s)
  plan.copy %s to %x : !s to !s
  func.return
}

// -----

// CHECK: @main takes the states none and returns 's' (memref<4xf32>)
!s = memref<4xf32>
func.func @main(%s: !s {dev.state = "s", dev.in_place, dev.role = "state"}, %t: !s {dev.state = "s", dev.role = "output"}) {
  func.return
}

// -----

// CHECK: plan.follow takes a control block, memref<3xi64, #dev.on<"cpu">>, got memref<2xi64, #dev.on<"cpu">>
func.func @main(%c: memref<2xi64, #dev.on<"cpu">>) {
  %0 = plan.follow %c : memref<2xi64, #dev.on<"cpu">> -> i1
  func.return
}
