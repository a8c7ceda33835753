// RUN: devproc-opt %s -p assign-streams --split-input-file | filecheck %s

// Two islands of four kernels each, and a kernel that reads both: the second one has stream 3.
// It begins after its input is there, and the last kernel waits for it.

func.func @main(%x: memref<4xf32, #dev.on<"cpu">>, %y: memref<4xf32, #dev.on<"cpu">>) {
  %s = plan.staging "cuda" : memref<4xf32, #dev.on<"cpu">>
  %t = plan.staging "cuda" : memref<4xf32, #dev.on<"cpu">>
  %u = plan.staging "cuda" : memref<4xf32, #dev.on<"cpu">>
  plan.copy %x to %s : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cpu">>
  plan.copy %y to %t : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cpu">>
  %a0 = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %a1 = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %a2 = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %a3 = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %a4 = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %b0 = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %b1 = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %b2 = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %b3 = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %b4 = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %c = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  plan.copy %s to %a0 : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cuda">>
  plan.copy %t to %b0 : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cuda">>
  plan.launch @k(%a0) -> (%a1) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.launch @k(%b0) -> (%b1) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.launch @k(%a1) -> (%a2) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.launch @k(%b1) -> (%b2) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.launch @k(%a2) -> (%a3) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.launch @k(%b2) -> (%b3) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.launch @k(%a3) -> (%a4) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.launch @k(%b3) -> (%b4) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.launch @add(%a4, %b4) -> (%c) : (memref<4xf32, #dev.on<"cuda">>, memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.copy %c to %u : memref<4xf32, #dev.on<"cuda">> to memref<4xf32, #dev.on<"cpu">>
  dev.sync "cuda"
  func.return
}
func.func private @k(memref<4xf32, #dev.on<"cuda">>, memref<4xf32, #dev.on<"cuda">>) -> () attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", []>}
func.func private @add(memref<4xf32, #dev.on<"cuda">>, memref<4xf32, #dev.on<"cuda">>, memref<4xf32, #dev.on<"cuda">>) -> () attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", []>}

// CHECK:      func.func @main
// CHECK:      plan.copy %x to %s
// CHECK:      %0 = dev.record "cuda" stream 0 : !dev.event
// CHECK-NEXT: dev.wait %0 "cuda" stream 1 : !dev.event
// CHECK-NEXT: plan.copy %s to %a0 {dev.stream = 1 : i64}
// CHECK-NEXT: %1 = dev.record "cuda" stream 1 : !dev.event
// CHECK-NEXT: plan.copy %t to %b0 {dev.stream = 1 : i64}
// CHECK-NEXT: %2 = dev.record "cuda" stream 1 : !dev.event
// CHECK-NEXT: dev.wait %1 "cuda" stream 0 : !dev.event
// CHECK-NEXT: plan.launch @k(%a0) -> (%a1)
// CHECK-NEXT: dev.wait %2 "cuda" stream 3 : !dev.event
// CHECK-NEXT: plan.launch @k(%b0) -> (%b1) {dev.stream = 3 : i64}
// CHECK-NEXT: plan.launch @k(%a1) -> (%a2)
// CHECK-NEXT: plan.launch @k(%b1) -> (%b2) {dev.stream = 3 : i64}
// CHECK-NEXT: plan.launch @k(%a2) -> (%a3)
// CHECK-NEXT: plan.launch @k(%b2) -> (%b3) {dev.stream = 3 : i64}
// CHECK-NEXT: plan.launch @k(%a3) -> (%a4)
// CHECK-NEXT: plan.launch @k(%b3) -> (%b4) {dev.stream = 3 : i64}
// CHECK-NEXT: %3 = dev.record "cuda" stream 3 : !dev.event
// CHECK-NEXT: dev.wait %3 "cuda" stream 0 : !dev.event
// CHECK-NEXT: plan.launch @add(%a4, %b4) -> (%c)
// CHECK-NEXT: %4 = dev.record "cuda" stream 0 : !dev.event
// CHECK-NEXT: dev.wait %4 "cuda" stream 2 : !dev.event
// CHECK-NEXT: plan.copy %c to %u {dev.stream = 2 : i64}
// CHECK-NEXT: %5 = dev.record "cuda" stream 2 : !dev.event
// CHECK-NEXT: dev.wait %5 "cuda" stream 0 : !dev.event
// CHECK-NEXT: dev.sync "cuda"
// CHECK-NEXT: func.return

// -----

// Two kernels each are not worth the events, and work of the host ends a section.

func.func @main(%x: memref<4xf32, #dev.on<"cpu">>) {
  %s = plan.staging "cuda" : memref<4xf32, #dev.on<"cpu">>
  %u = plan.staging "cuda" : memref<4xf32, #dev.on<"cpu">>
  plan.copy %x to %s : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cpu">>
  %a = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %b = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %c = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %d = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %e = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  plan.copy %s to %a : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cuda">>
  plan.launch @k(%a) -> (%b) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.launch @k(%a) -> (%c) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.launch @k(%b) -> (%d) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.launch @k(%c) -> (%e) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.copy %d to %u : memref<4xf32, #dev.on<"cuda">> to memref<4xf32, #dev.on<"cpu">>
  dev.sync "cuda"
  plan.copy %u to %x : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cpu">>
  plan.launch @k(%d) -> (%e) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  func.return
}
func.func private @k(memref<4xf32, #dev.on<"cuda">>, memref<4xf32, #dev.on<"cuda">>) -> () attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", []>}

// CHECK:      func.func @main
// CHECK:      plan.copy %x to %s
// CHECK:      %0 = dev.record "cuda" stream 0 : !dev.event
// CHECK-NEXT: dev.wait %0 "cuda" stream 1 : !dev.event
// CHECK-NEXT: plan.copy %s to %a {dev.stream = 1 : i64}
// CHECK-NEXT: %1 = dev.record "cuda" stream 1 : !dev.event
// CHECK-NEXT: dev.wait %1 "cuda" stream 0 : !dev.event
// CHECK-NEXT: plan.launch @k(%a) -> (%b)
// CHECK-NEXT: plan.launch @k(%a) -> (%c)
// CHECK-NEXT: plan.launch @k(%b) -> (%d)
// CHECK-NEXT: %2 = dev.record "cuda" stream 0 : !dev.event
// CHECK-NEXT: plan.launch @k(%c) -> (%e)
// CHECK-NEXT: dev.wait %2 "cuda" stream 2 : !dev.event
// CHECK-NEXT: plan.copy %d to %u {dev.stream = 2 : i64}
// CHECK-NEXT: %3 = dev.record "cuda" stream 2 : !dev.event
// CHECK-NEXT: dev.wait %3 "cuda" stream 0 : !dev.event
// CHECK-NEXT: dev.sync "cuda"
// CHECK-NEXT: plan.copy %u to %x
// CHECK-NEXT: plan.launch @k(%d) -> (%e)
// CHECK-NEXT: func.return
