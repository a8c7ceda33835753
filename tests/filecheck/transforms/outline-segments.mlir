// RUN: devproc-opt %s -p outline-segments | filecheck %s
// RUN: devproc-opt %s -p outline-segments{max-launches=1} | filecheck %s --check-prefix=ONE

// Launches of the CPU join up to the next step of another kind. Views move inside: the
// segment has one argument for each piece of memory.

func.func @main(%x: memref<4xf32, #dev.on<"cpu">>, %y: memref<4xf32, #dev.on<"cpu">>, %d: memref<4xf32, #dev.on<"cuda">>) {
  %arena = plan.arena "cpu" : memref<64xi8, #dev.on<"cpu">>
  %a = plan.buffer %arena id 0 offset 0 bytes 16 live 0 to 4 : memref<64xi8, #dev.on<"cpu">> -> memref<2x2xf32, #dev.on<"cpu">>
  plan.launch @k(%x) -> (%a) : (memref<4xf32, #dev.on<"cpu">>) -> (memref<2x2xf32, #dev.on<"cpu">>)
  %v = plan.view %a : memref<2x2xf32, #dev.on<"cpu">> -> memref<4xf32, #dev.on<"cpu">>
  plan.launch @l(%v) -> (%v) {dev.updates = array<i64: 0>} : (memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
  plan.copy %v to %d : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cuda">>
  plan.launch @g(%d) -> (%d) {dev.updates = array<i64: 0>} : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  dev.sync "cuda"
  plan.launch @l(%x) -> (%y) : (memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
  func.return
}
func.func private @k(memref<4xf32, #dev.on<"cpu">>, memref<2x2xf32, #dev.on<"cpu">>) -> ()
func.func private @l(memref<4xf32, #dev.on<"cpu">>, memref<4xf32, #dev.on<"cpu">>) -> ()
func.func private @g(memref<4xf32, #dev.on<"cuda">>, memref<4xf32, #dev.on<"cuda">>) -> ()

// CHECK:      plan.launch @segment_0(%x) -> (%a) {plan.step = 0 : i64, plan.last_step = 1 : i64}
// CHECK-NEXT: plan.copy %v to %d {plan.step = 2 : i64}
// CHECK-NEXT: plan.launch @g(%d) -> (%d) {dev.updates = array<i64: 0>, plan.step = 3 : i64}
// CHECK-NEXT: dev.sync "cuda" {plan.step = 4 : i64}
// CHECK-NEXT: plan.launch @segment_1(%x) -> (%y) {plan.step = 5 : i64}
// CHECK:      func.func private @segment_0(%x: memref<4xf32, #dev.on<"cpu">>, %a: memref<2x2xf32, #dev.on<"cpu">> {llvm.align = 64 : i64}) {
// CHECK-NEXT:   func.call @k(%x, %a)
// CHECK-NEXT:   [[V:%.+]] = plan.view %a
// CHECK-NEXT:   func.call @l([[V]], [[V]])
// CHECK-NEXT:   func.return
// CHECK:      func.func private @segment_1

// ONE: plan.launch @segment_0(%x) -> (%a) {plan.step = 0 : i64}
// ONE: plan.launch @segment_1() -> (%a) {plan.step = 1 : i64}
// ONE: plan.launch @segment_2(%x) -> (%y) {plan.step = 5 : i64}
