// RUN: devproc-opt %s -p prune-variants | filecheck %s

// A measured time counts before a modelled one.
// CHECK-LABEL: @measured
// CHECK: sched.nest @n0 #sched.elements<spread = 1, grain = 4> why "2.5 us, measured"
// CHECK-NEXT: linalg.fill
// CHECK-NOT: sched.variants
func.func private @measured(%x: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.variants @n0 [
      #sched.variant<schedule = #sched.elements<spread = 0, grain = none>, time = 1.5, by = modelled>,
      #sched.variant<schedule = #sched.elements<spread = 1, grain = 2>, time = 3.5, by = measured>,
      #sched.variant<schedule = #sched.elements<spread = 1, grain = 4>, time = 2.5, by = measured>
  ] take 0 why "as planned" {
    linalg.fill ins(%zero : f32) outs(%x : memref<8xf32>)
  }
  func.return
}

// Without times, the one that is taken.
// CHECK-LABEL: @untimed
// CHECK: sched.nest @n0 #sched.elements<spread = 1, grain = 2> why "as planned"
func.func private @untimed(%x: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.variants @n0 [
      #sched.variant<schedule = #sched.elements<spread = 0, grain = none>, time = none, by = none>,
      #sched.variant<schedule = #sched.elements<spread = 1, grain = 2>, time = none, by = none>
  ] take 1 why "as planned" {
    linalg.fill ins(%zero : f32) outs(%x : memref<8xf32>)
  }
  func.return
}
