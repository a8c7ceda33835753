// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

func.func private @k(memref<16xf32, #dev.on<"cpu">>, memref<16xf32, #dev.on<"cpu">>)

func.func @main(%x: memref<16xf32, #dev.on<"cpu">>, %d: memref<16xf32, #dev.on<"cuda">>) {
  // CHECK: %arena = plan.arena "cpu" : memref<128xi8, #dev.on<"cpu">>
  %arena = plan.arena "cpu" : memref<128xi8, #dev.on<"cpu">>
  // CHECK-NEXT: %a = plan.buffer %arena id 0 offset 64 bytes 64 live 0 to 1 : memref<128xi8, #dev.on<"cpu">> -> memref<16xf32, #dev.on<"cpu">>
  %a = plan.buffer %arena id 0 offset 64 bytes 64 live 0 to 1 : memref<128xi8, #dev.on<"cpu">> -> memref<16xf32, #dev.on<"cpu">>
  // CHECK-NEXT: %v = plan.view %a : memref<16xf32, #dev.on<"cpu">> -> memref<4x4xf32, #dev.on<"cpu">>
  %v = plan.view %a : memref<16xf32, #dev.on<"cpu">> -> memref<4x4xf32, #dev.on<"cpu">>
  // CHECK-NEXT: %i = arith.constant 3 : index
  %i = arith.constant 3 : index
  // CHECK-NEXT: %s = plan.slice %v[%i] : memref<4x4xf32, #dev.on<"cpu">> -> memref<4xf32, #dev.on<"cpu">>
  %s = plan.slice %v[%i] : memref<4x4xf32, #dev.on<"cpu">> -> memref<4xf32, #dev.on<"cpu">>
  // CHECK-NEXT: %w = plan.weight @fc1.weight hash "9f86d0" : memref<16xf32, #dev.on<"cpu">>
  %w = plan.weight @"fc1.weight" hash "9f86d0" : memref<16xf32, #dev.on<"cpu">>
  // CHECK-NEXT: plan.launch @k(%w) -> (%a) : (memref<16xf32, #dev.on<"cpu">>) -> (memref<16xf32, #dev.on<"cpu">>)
  plan.launch @k(%w) -> (%a) : (memref<16xf32, #dev.on<"cpu">>) -> (memref<16xf32, #dev.on<"cpu">>)
  // CHECK-NEXT: plan.copy %x to %d : memref<16xf32, #dev.on<"cpu">> to memref<16xf32, #dev.on<"cuda">>
  plan.copy %x to %d : memref<16xf32, #dev.on<"cpu">> to memref<16xf32, #dev.on<"cuda">>
  // CHECK-NEXT: %t = plan.staging "cuda" : memref<16xf32, #dev.on<"cpu">>
  %t = plan.staging "cuda" : memref<16xf32, #dev.on<"cpu">>
  func.return
}

func.func @repeat(%c: memref<3xi64, #dev.on<"cpu">>) {
  // CHECK: %on = plan.follow %c : memref<3xi64, #dev.on<"cpu">> -> i1
  %on = plan.follow %c : memref<3xi64, #dev.on<"cpu">> -> i1
  func.return
}
