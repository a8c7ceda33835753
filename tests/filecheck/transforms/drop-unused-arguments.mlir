// RUN: devproc-opt %s -p drop-unused-arguments | filecheck %s

!x = memref<4xf32, #dev.on<"cuda">>
!h = memref<4xf32, #dev.on<"cpu">>
!bytes = memref<192xi8, #dev.on<"cuda">>
!host = memref<64xi8, #dev.on<"cpu">>

// An input, a temporary and a result that no op uses.
// CHECK-LABEL: triton.func @copy(%a: !triton.ptr<f32>, %y: !triton.ptr<f32>)
triton.func @copy(%w: !triton.ptr<f32>, %a: !triton.ptr<f32>, %t: !triton.ptr<f32>, %y: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.copy"]>} {
  %v = triton.load %a : !triton.ptr<f32> -> f32
  triton.store %y, %v : !triton.ptr<f32>, f32
  triton.return
}

// A loop only hands the temporary on.
// CHECK-LABEL: func.func private @loop(
// CHECK-SAME:    %w: memref<4xf32, #dev.on<"cuda">>, %a: memref<4xf32, #dev.on<"cuda">>, %y: memref<4xf32, #dev.on<"cuda">>)
// CHECK-NEXT:    plan.launch @copy(%a) -> (%y)
// CHECK-NEXT:    plan.launch @copy(%w) -> (%y)
func.func private @loop(%w: !x, %a: !x, %t: !x, %y: !x) attributes {dev.kernel = #dev.kernel<"cuda", "loop", ["nn.loop"]>} {
  plan.launch @copy(%w, %a) -> (%t, %y) : (!x, !x) -> (!x, !x)
  plan.launch @copy(%a, %w) -> (%t, %y) : (!x, !x) -> (!x, !x)
  func.return
}

// The host's kernels keep theirs.
// CHECK-LABEL: func.func private @on_the_host(%y: {{.*}})
func.func private @on_the_host(%y: !h) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.copy"]>} {
  func.return
}

// A kernel that stores nothing goes, with its launches.
// CHECK-NOT: @useless
triton.func @useless(%x: !triton.ptr<f32>, %y: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.copy"]>} {
  triton.return
}

// CHECK-LABEL: @main
// CHECK-NEXT:    %arena = plan.arena "cuda" : memref<64xi8, #dev.on<"cuda">>
// CHECK-NEXT:    %u = plan.buffer %arena id 1 offset 0 bytes 16 live 0 to 1
// CHECK-NEXT:    plan.launch @copy(%x) -> (%u) {plan.step = 0 : i64}
// CHECK-NEXT:    plan.launch @loop(%u, %u) -> (%y) {plan.step = 1 : i64}
// CHECK-NEXT:    %host = plan.arena "cpu" : memref<64xi8, #dev.on<"cpu">>
// CHECK-NEXT:    %z = plan.buffer %host id 0
// CHECK-NEXT:    plan.launch @on_the_host() -> (%z)
func.func @main(%x: !x, %y: !x) {
  %arena = plan.arena "cuda" : !bytes
  %t = plan.buffer %arena id 0 offset 0 bytes 16 live 0 to 0 : !bytes -> !x
  %u = plan.buffer %arena id 1 offset 64 bytes 16 live 0 to 1 : !bytes -> !x
  %v = plan.buffer %arena id 2 offset 128 bytes 16 live 1 to 1 : !bytes -> !x
  plan.launch @copy(%x, %x) -> (%t, %u) {plan.step = 0 : i64} : (!x, !x) -> (!x, !x)
  plan.launch @loop(%u, %u) -> (%v, %y) {plan.step = 1 : i64} : (!x, !x) -> (!x, !x)
  plan.launch @useless(%u) -> (%v) {plan.step = 1 : i64} : (!x) -> (!x)
  %host = plan.arena "cpu" : !host
  %z = plan.buffer %host id 0 offset 0 bytes 16 live 2 to 2 : !host -> !h
  plan.launch @on_the_host() -> (%z) {plan.step = 2 : i64} : () -> (!h)
  func.return
}
