// RUN: devproc-opt %s -p mark-scratch | filecheck %s

!x = memref<4xf32, #dev.on<"cuda">>
!bytes = memref<192xi8, #dev.on<"cuda">>

// The buffers of the first argument, %t and %u, have no other use; those of the second have.
// CHECK-LABEL: @twice
// CHECK-SAME:    dev.scratch = array<i64: 0>
func.func private @twice(%t: !x, %y: !x) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.fill"]>} {
  func.return
}

// An argument is scratch memory in all launches, or in none.
// CHECK-LABEL: @once_of_two
// CHECK-NOT:     dev.scratch
func.func private @once_of_two(%x: !x) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.fill"]>} {
  func.return
}

// The same on the CPU, where nobody asks.
// CHECK-LABEL: @on_the_cpu
// CHECK-NOT:     dev.scratch
func.func private @on_the_cpu(%x: memref<4xf32, #dev.on<"cpu">>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.fill"]>} {
  func.return
}

// A loop that takes two buffers: the first has no other use, and one in the loop.
// CHECK-LABEL: @in_a_loop
// CHECK-SAME:    dev.scratch = array<i64: 0>
func.func private @in_a_loop(%t: !x, %y: !x) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.fill"]>} {
  func.return
}
// CHECK-LABEL: @loop
// CHECK-NOT:     dev.scratch
func.func private @loop(%t: !x, %y: !x) attributes {dev.kernel = #dev.kernel<"cuda", "loop", ["nn.loop"]>} {
  plan.launch @in_a_loop() -> (%t, %y) : () -> (!x, !x)
  func.return
}

// CHECK-LABEL: @main
func.func @main(%y: !x) {
  %arena = plan.arena "cuda" : !bytes
  %t = plan.buffer %arena id 0 offset 0 bytes 16 live 0 to 0 : !bytes -> !x
  %u = plan.buffer %arena id 1 offset 0 bytes 16 live 1 to 1 : !bytes -> !x
  %v = plan.buffer %arena id 2 offset 64 bytes 16 live 0 to 1 : !bytes -> !x
  %w = plan.buffer %arena id 3 offset 128 bytes 16 live 2 to 2 : !bytes -> !x
  plan.launch @twice() -> (%t, %v) : () -> (!x, !x)
  plan.launch @twice() -> (%u, %v) : () -> (!x, !x)
  plan.launch @once_of_two() -> (%w) : () -> (!x)
  plan.launch @once_of_two() -> (%y) : () -> (!x)
  %l = plan.buffer %arena id 4 offset 64 bytes 16 live 4 to 4 : !bytes -> !x
  plan.launch @loop() -> (%l, %y) : () -> (!x, !x)
  %bytes = plan.arena "cpu" : memref<64xi8, #dev.on<"cpu">>
  %z = plan.buffer %bytes id 0 offset 0 bytes 16 live 5 to 5 : memref<64xi8, #dev.on<"cpu">> -> memref<4xf32, #dev.on<"cpu">>
  plan.launch @on_the_cpu() -> (%z) : () -> (memref<4xf32, #dev.on<"cpu">>)
  func.return
}
