// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: sched.tile @n1: no nest of its kernel is called so; there are @n0
func.func private @k(%y: memref<4xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  }
  sched.tile @n1 at [%i] size [4]
  func.return
}

// -----

// CHECK: sched.tile @n1: no nest of its kernel is called so; there are none
func.func private @k(%y: memref<4xf32>, %i: index) {
  sched.tile @n1 at [%i] size [4]
  func.return
}

// -----

// CHECK: sched.tile @n0 has 1 indices and 2 sizes
func.func private @k(%y: memref<4xf32>, %i: index) {
  sched.tile @n0 at [%i] size [4, 4]
  func.return
}

// -----

// CHECK: sched.tile @n0 has a size below 1
func.func private @k(%y: memref<4xf32>, %i: index) {
  sched.tile @n0 at [%i] size [0]
  func.return
}

// -----

// CHECK: sched.tile @n0 has 2 loops, but its nest at most 1
func.func private @k(%y: memref<4xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  }
  sched.tile @n0 at [%i, %i] size [4, 1]
  func.return
}

// -----

// CHECK: sched.read of memref<49x100xf32> has vectors of f64
func.func private @k(%x: memref<49x100xf32>, %i: index) {
  %r = sched.read %x[%i, %i] along [0] : memref<49x100xf32>, vector<7xf64>
  func.return
}

// -----

// CHECK: sched.read of memref<49x100xf32> has 1 indices
func.func private @k(%x: memref<49x100xf32>, %i: index) {
  %r = sched.read %x[%i] along [0] : memref<49x100xf32>, vector<7xf32>
  func.return
}

// -----

// CHECK: sched.read needs one dimension of memory for each of vector<7xf32>, not [0, 1]
func.func private @k(%x: memref<49x100xf32>, %i: index) {
  %r = sched.read %x[%i, %i] along [0, 1] : memref<49x100xf32>, vector<7xf32>
  func.return
}

// -----

// CHECK: sched.read needs one dimension of memory for each of vector<7x7xf32>, not [1, 1]
func.func private @k(%x: memref<49x100xf32>, %i: index) {
  %r = sched.read %x[%i, %i] along [1, 1] : memref<49x100xf32>, vector<7x7xf32>
  func.return
}

// -----

// CHECK: sched.read: memref<49x100xf32> has no dimension 2
func.func private @k(%x: memref<49x100xf32>, %i: index) {
  %r = sched.read %x[%i, %i] along [2] : memref<49x100xf32>, vector<7xf32>
  func.return
}

// -----

// CHECK: sched.write: vector<7x48xf32> is larger than dimension 1 of memref<49x16xf32>
func.func private @k(%x: memref<49x16xf32>, %i: index, %v: vector<7x48xf32>) {
  sched.write %v, %x[%i, %i] along [0, 1] : vector<7x48xf32>, memref<49x16xf32>
  func.return
}

// -----

// CHECK: sched.outer of vector<7xf32> and vector<16xf32> makes no vector<7x48xf32>
func.func private @k(%r: vector<7xf32>, %c: vector<16xf32>, %a: vector<7x48xf32>) {
  %n = sched.outer %r, %c, %a : vector<7xf32>, vector<16xf32> -> vector<7x48xf32>
  func.return
}

// -----

// CHECK: sched.outer of vector<7x1xf32> and vector<48xf32> makes no vector<7x48xf32>
func.func private @k(%r: vector<7x1xf32>, %c: vector<48xf32>, %a: vector<7x48xf32>) {
  %n = sched.outer %r, %c, %a : vector<7x1xf32>, vector<48xf32> -> vector<7x48xf32>
  func.return
}

// -----

// CHECK: sched.outer cannot add f64 to f32
func.func private @k(%r: vector<7xf64>, %c: vector<48xf32>, %a: vector<7x48xf32>) {
  %n = sched.outer %r, %c, %a : vector<7xf64>, vector<48xf32> -> vector<7x48xf32>
  func.return
}

// -----

// CHECK: sched.outer cannot add i8 to f32
func.func private @k(%r: vector<7xi8>, %c: vector<48xf32>, %a: vector<7x48xf32>) {
  %n = sched.outer %r, %c, %a : vector<7xi8>, vector<48xf32> -> vector<7x48xf32>
  func.return
}

// -----

// CHECK: sched.prefetch: memref<48xf32> holds no panels
func.func private @k(%p: memref<48xf32>, %i: index) {
  sched.prefetch %p[%i] share %i of 7 term %i of 100 : memref<48xf32>
  func.return
}

// -----

// CHECK: sched.prefetch needs at least one share and one term
func.func private @k(%p: memref<3x48xf32>, %i: index) {
  sched.prefetch %p[%i] share %i of 0 term %i of 100 : memref<3x48xf32>
  func.return
}
