// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s | devproc-opt | filecheck %s

// CHECK-LABEL: func.func private @nests
func.func private @nests(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  %zero = arith.constant 0.0 : f32
  // CHECK:      sched.nest @n0 #sched.padding<lanes = 16> why "one fill" {
  // CHECK-NEXT:   linalg.fill
  // CHECK-NEXT: }
  sched.nest @n0 #sched.padding<lanes = 16> why "one fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<8x64xf32>)
  }
  // CHECK-NEXT: sched.nest #sched.vectors<loop = 1, lanes = 16, vectors = 4, inner = none, crossing = none, ragged = mask, block = none, split = 0, grain = 66> why "work \22splits\22" {
  sched.nest #sched.vectors<loop = 1, lanes = 16, vectors = 4, inner = none, crossing = none, ragged = mask, block = none, split = 0, grain = 66> why "work \"splits\"" {
    linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>) {
    ^bb0(%a: f32, %unused: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    }
  // CHECK: } {note}
  } {note}
  func.return
}

// CHECK-LABEL: func.func private @variants
func.func private @variants(%y: memref<8x64xf32>) {
  %zero = arith.constant 0.0 : f32
  // CHECK:      sched.variants @n0 [#sched.variant<schedule = #sched.padding<lanes = 16>, time = 12.5, by = measured>, #sched.variant<schedule = #sched.padding<lanes = 8>, time = 1.0e-07, by = modelled>, #sched.variant<schedule = #sched.elements<spread = 0, grain = none>, time = none, by = none>] take 0 why "measured" {
  // CHECK-NEXT:   linalg.fill
  // CHECK-NEXT: }
  sched.variants @n0 [
    #sched.variant<schedule = #sched.padding<lanes = 16>, time = 12.5, by = measured>,
    #sched.variant<schedule = #sched.padding<lanes = 8>, time = 1.0e-07, by = modelled>,
    #sched.variant<by = none, time = none, schedule = #sched.elements<spread = 0, grain = none>>
  ] take 0 why "measured" {
    linalg.fill ins(%zero : f32) outs(%y : memref<8x64xf32>)
  }
  // CHECK-NEXT: sched.variants [#sched.variant<schedule = #sched.padding<lanes = 16>, time = 3.0, by = measured>] take 0 why "alone" {
  sched.variants [#sched.variant<schedule = #sched.padding<lanes = 16>, time = 3, by = measured>] take 0 why "alone" {
    linalg.fill ins(%zero : f32) outs(%y : memref<8x64xf32>)
  }
  func.return
}
