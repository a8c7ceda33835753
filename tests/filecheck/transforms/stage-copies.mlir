// RUN: devproc-opt %s -p stage-copies --split-input-file | filecheck %s

// The host writes both inputs before the device begins, and reads the output after the sync.

func.func @main(%x: memref<4xf32, #dev.on<"cpu">>, %y: memref<8xi8, #dev.on<"cpu">>, %z: memref<4xf32, #dev.on<"cpu">>) {
  %a = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  plan.copy %x to %a : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cuda">>
  %b = memref.alloc() : memref<8xi8, #dev.on<"cuda">>
  plan.copy %y to %b : memref<8xi8, #dev.on<"cpu">> to memref<8xi8, #dev.on<"cuda">>
  plan.copy %a to %z : memref<4xf32, #dev.on<"cuda">> to memref<4xf32, #dev.on<"cpu">>
  dev.sync "cuda"
  func.return
}

// CHECK:      func.func @main
// CHECK-NEXT:   %x_1 = plan.staging "cuda" : memref<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:   plan.copy %x to %x_1 : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:   %y_1 = plan.staging "cuda" : memref<8xi8, #dev.on<"cpu">>
// CHECK-NEXT:   plan.copy %y to %y_1 : memref<8xi8, #dev.on<"cpu">> to memref<8xi8, #dev.on<"cpu">>
// CHECK-NEXT:   %a = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
// CHECK-NEXT:   plan.copy %x_1 to %a : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cuda">>
// CHECK-NEXT:   %b = memref.alloc() : memref<8xi8, #dev.on<"cuda">>
// CHECK-NEXT:   plan.copy %y_1 to %b : memref<8xi8, #dev.on<"cpu">> to memref<8xi8, #dev.on<"cuda">>
// CHECK-NEXT:   %z_1 = plan.staging "cuda" : memref<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:   plan.copy %a to %z_1 : memref<4xf32, #dev.on<"cuda">> to memref<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:   dev.sync "cuda"
// CHECK-NEXT:   plan.copy %z_1 to %z : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:   func.return

// -----

// What the host computes is staged after that, before the works of the device.

func.func @main(%x: memref<4xf32, #dev.on<"cpu">>, %z: memref<4xf32, #dev.on<"cpu">>) {
  %h = memref.alloc() : memref<4xf32, #dev.on<"cpu">>
  plan.launch @host(%x) -> (%h) : (memref<4xf32, #dev.on<"cpu">>) -> (memref<4xf32, #dev.on<"cpu">>)
  %a = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %b = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  %c = memref.alloc() : memref<4xf32, #dev.on<"cuda">>
  plan.launch @k(%b) -> (%c) : (memref<4xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>)
  plan.copy %h to %a : memref<4xf32, #dev.on<"cpu">> to memref<4xf32, #dev.on<"cuda">>
  func.return
}
func.func private @host(memref<4xf32, #dev.on<"cpu">>, memref<4xf32, #dev.on<"cpu">>) -> () attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", []>}
func.func private @k(memref<4xf32, #dev.on<"cuda">>, memref<4xf32, #dev.on<"cuda">>) -> () attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", []>}

// CHECK:      plan.launch @host(%x) -> (%h)
// CHECK-NEXT: %h_1 = plan.staging "cuda" : memref<4xf32, #dev.on<"cpu">>
// CHECK-NEXT: plan.copy %h to %h_1
// CHECK-NEXT: %a = memref.alloc()
// CHECK-NEXT: %b = memref.alloc()
// CHECK-NEXT: %c = memref.alloc()
// CHECK-NEXT: plan.launch @k(%b) -> (%c)
// CHECK-NEXT: plan.copy %h_1 to %a
