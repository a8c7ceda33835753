// RUN: devproc-opt %s -p expand-schedules --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: @add_one
// CHECK:       scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NEXT:    memref.load %x[%[[I]]]
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    memref.store %{{.*}}, %y[%[[I]]]
// CHECK-NOT:   sched.nest
func.func private @add_one(%x: memref<16xf32>, %y: memref<16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
  %one = arith.constant 1.0 : f32
  sched.nest @n0 #sched.elements<spread = 0, grain = none> why "by hand" {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<16xf32>) outs(%y : memref<16xf32>) {
    ^bb0(%a: f32, %unused: f32):
      %r = arith.addf %a, %one : f32
      linalg.yield %r : f32
    }
  }
  func.return
}

// -----

// A schedule that is not legal says why.
// CHECK: the nest @n0 of the kernel @fill cannot have the schedule #sched.scatter<grain = none, lanes = 1>: linalg.fill: no nest that 'scatter' computes
func.func private @fill(%x: memref<16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.fill"]>} {
  %one = arith.constant 1.0 : f32
  sched.nest @n0 #sched.scatter<grain = none, lanes = 1> why "by hand" {
    linalg.fill ins(%one : f32) outs(%x : memref<16xf32>)
  }
  func.return
}

// -----

// CHECK: the nest @n0 of the kernel @tiled has tiles; lower it with 'tile-nests', 'open-tiles' and 'unroll-tiles'
func.func private @tiled(%x: memref<16xf32>, %y: memref<16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>} {
  %one = arith.constant 1.0 : f32
  sched.nest @n0 #sched.vectors<loop = 0, lanes = 4, vectors = 1, inner = none, crossing = none, ragged = mask, block = none, split = none, grain = none> why "by hand" {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<16xf32>) outs(%y : memref<16xf32>) {
    ^bb0(%a: f32, %unused: f32):
      %r = arith.addf %a, %one : f32
      linalg.yield %r : f32
    }
  }
  func.return
}
