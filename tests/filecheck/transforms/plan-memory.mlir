// RUN: devproc-opt %s -p plan-memory --split-input-file | filecheck %s

// A chain needs two buffers at a time: the third takes the place of the first.

func.func @main(%x: memref<20xf32, #dev.on<"cpu">>, %y: memref<20xf32, #dev.on<"cpu">>) {
  %a = memref.alloc() : memref<20xf32, #dev.on<"cpu">>
  plan.launch @k(%x) -> (%a) : (memref<20xf32, #dev.on<"cpu">>) -> (memref<20xf32, #dev.on<"cpu">>)
  %b = memref.alloc() : memref<20xf32, #dev.on<"cpu">>
  plan.launch @k(%a) -> (%b) : (memref<20xf32, #dev.on<"cpu">>) -> (memref<20xf32, #dev.on<"cpu">>)
  %c = memref.alloc() : memref<20xf32, #dev.on<"cpu">>
  plan.launch @k(%b) -> (%c) : (memref<20xf32, #dev.on<"cpu">>) -> (memref<20xf32, #dev.on<"cpu">>)
  plan.launch @k(%c) -> (%y) : (memref<20xf32, #dev.on<"cpu">>) -> (memref<20xf32, #dev.on<"cpu">>)
  func.return
}
func.func private @k(%i: memref<20xf32, #dev.on<"cpu">>, %o: memref<20xf32, #dev.on<"cpu">>) {
  func.return
}

// CHECK:      %cpu_arena = plan.arena "cpu" : memref<256xi8, #dev.on<"cpu">>
// CHECK-NEXT: %a = plan.buffer %cpu_arena id 0 offset 0 bytes 80 live 0 to 1
// CHECK-NEXT: %b = plan.buffer %cpu_arena id 1 offset 128 bytes 80 live 1 to 2
// CHECK-NEXT: %c = plan.buffer %cpu_arena id 2 offset 0 bytes 80 live 2 to 3
// CHECK-NEXT: plan.launch @k(%x) -> (%a) {plan.step = 0 : i64}
// CHECK:      func.func private @k(%i: memref<20xf32, #dev.on<"cpu">> {llvm.noalias}, %o: memref<20xf32, #dev.on<"cpu">> {llvm.noalias})

// -----

// The stream reads %a until the sync, so %b may not take its place before that.

func.func @main(%x: memref<16xf32, #dev.on<"cpu">>, %y: memref<16xf32, #dev.on<"cpu">>) {
  %a = memref.alloc() : memref<16xf32, #dev.on<"cpu">>
  %b = memref.alloc() : memref<16xf32, #dev.on<"cpu">>
  %c = memref.alloc() : memref<16xf32, #dev.on<"cpu">>
  %d = memref.alloc() : memref<16xf32, #dev.on<"cuda">>
  plan.launch @k(%x) -> (%a) : (memref<16xf32, #dev.on<"cpu">>) -> (memref<16xf32, #dev.on<"cpu">>)
  plan.copy %a to %d : memref<16xf32, #dev.on<"cpu">> to memref<16xf32, #dev.on<"cuda">>
  plan.launch @k(%x) -> (%b) : (memref<16xf32, #dev.on<"cpu">>) -> (memref<16xf32, #dev.on<"cpu">>)
  dev.sync "cuda"
  plan.launch @k(%b) -> (%c) : (memref<16xf32, #dev.on<"cpu">>) -> (memref<16xf32, #dev.on<"cpu">>)
  plan.launch @k(%c) -> (%y) : (memref<16xf32, #dev.on<"cpu">>) -> (memref<16xf32, #dev.on<"cpu">>)
  func.return
}
func.func private @k(memref<16xf32, #dev.on<"cpu">>, memref<16xf32, #dev.on<"cpu">>) -> ()

// CHECK:      plan.arena "cpu" : memref<128xi8, #dev.on<"cpu">>
// CHECK-NEXT: %a = {{.*}} id 0 offset [[A:[0-9]+]] bytes 64 live 0 to 3
// CHECK-NEXT: %b = {{.*}} id 1 offset {{[0-9]+}} bytes 64 live 2 to 4
// CHECK-NEXT: %c = {{.*}} id 2 offset [[A]] bytes 64 live 4 to 5
// CHECK-NEXT: %cuda_arena = plan.arena "cuda" : memref<64xi8, #dev.on<"cuda">>
// CHECK-NEXT: %d = plan.buffer %cuda_arena id 0 offset 0 bytes 64 live 1 to 1

// -----

// Weights and buffers are aligned in every launch, the second argument in one only. The
// same memory twice as an input is no conflict; as input and output it would be.

func.func @main(%x: memref<4xf32, #dev.on<"cpu">>, %y: memref<4xf32, #dev.on<"cpu">>) {
  %w = plan.weight @w hash "0" : memref<4xf32, #dev.on<"cpu">>
  %a = memref.alloc() : memref<4xf32, #dev.on<"cpu">>
  plan.launch @k(%w, %x) -> (%a) : (memref<4xf32, #dev.on<"cpu">>, memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
  plan.launch @k(%a, %a) -> (%y) : (memref<4xf32, #dev.on<"cpu">>, memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
  plan.launch @in_place(%w) -> (%y) : (memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
  plan.launch @in_place(%y) -> (%y) {dev.updates = array<i64: 0>} : (memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
  func.return
}
func.func private @k(%i: memref<4xf32, #dev.on<"cpu">>, %j: memref<4xf32, #dev.on<"cpu">>, %o: memref<4xf32, #dev.on<"cpu">>) {
  func.return
}
func.func private @in_place(%i: memref<4xf32, #dev.on<"cpu">>, %o: memref<4xf32, #dev.on<"cpu">>) {
  func.return
}

// CHECK:      func.func private @k(%i: memref<4xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias},
// CHECK-SAME:   %j: memref<4xf32, #dev.on<"cpu">> {llvm.noalias}, %o: memref<4xf32, #dev.on<"cpu">> {llvm.noalias})
// CHECK:      func.func private @in_place(%i: memref<4xf32, #dev.on<"cpu">>, %o: memref<4xf32, #dev.on<"cpu">>) {

// -----

// What a loop is promised of its arguments it promises to the kernels it launches: a buffer
// is aligned, a step of it is not. @k updates its second operand, which is then no other
// memory to it.

!h = memref<5xf32, #dev.on<"cpu">>
!x = memref<3x5xf32, #dev.on<"cpu">>
func.func @main(%x: !x, %y: !h) {
  %a = memref.alloc() : !h
  plan.launch @loop(%x) -> (%a, %y) : (!x) -> (!h, !h)
  func.return
}
func.func private @k(%now: !h, %in: !h, %out: !h, %other: !h) {
  func.return
}
func.func private @loop(%x: !x, %a: !h, %y: !h) attributes {dev.kernel = #dev.kernel<"cpu", "loop", ["nn.loop"]>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  scf.for %i = %zero to %three step %one {
    %now = plan.slice %x[%i] : !x -> !h
    plan.launch @k(%now, %a) -> (%a, %y) : (!h, !h) -> (!h, !h)
  }
  func.return
}

// CHECK:       func.func private @k(%now: memref<5xf32, #dev.on<"cpu">> {llvm.noalias}, %in: memref<5xf32, #dev.on<"cpu">> {llvm.align = 64 : i64}, %out: memref<5xf32, #dev.on<"cpu">> {llvm.align = 64 : i64}, %other: memref<5xf32, #dev.on<"cpu">> {llvm.noalias})
// CHECK:       func.func private @loop(%x: memref<3x5xf32, #dev.on<"cpu">> {llvm.noalias}, %a: memref<5xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %y: memref<5xf32, #dev.on<"cpu">> {llvm.noalias})
