// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: sched.tile @n1: its kernel has no nest of this name; known nests: @n0
func.func private @k(%y: memref<4xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  }
  sched.tile @n1 at [%i] size [4]
  func.return
}

// -----

// CHECK: sched.tile @n1: its kernel has no nest of this name; known nests: none
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

// CHECK: sched.start @n0: vector<5xf32> does not hold the sums of a box of [4, 8]
func.func private @k(%y: memref<4x8xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4x8xf32>)
  }
  %s = sched.start @n0 at [%i, %i] size [4, 8] : vector<5xf32>
  func.return
}

// -----

// CHECK: sched.term @n0: vector<4xf32> does not hold the sums of a box of [4, 8]
func.func private @k(%y: memref<4x8xf32>, %i: index, %s: vector<4xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4x8xf32>)
  }
  %n = sched.term @n0 at [%i, %i] size [4, 8] to %s : vector<4xf32>
  func.return
}

// -----

// CHECK: sched.finish @n0: vector<3xf32> does not hold the sums of a box of [4, 8]
func.func private @k(%y: memref<4x8xf32>, %i: index, %s: vector<3xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4x8xf32>)
  }
  sched.finish @n0 at [%i, %i] size [4, 8] of %s : vector<3xf32>
  func.return
}

// -----

// CHECK: sched.prefetch @n1: its kernel has no nest of this name; known nests: @n0
func.func private @k(%y: memref<4x8xf32>, %i: index, %w: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4x8xf32>)
  }
  sched.prefetch @n1 of %w[%i] size 8 : memref<8xf32>
  func.return
}

// -----

// CHECK: sched.prefetch needs one-dimensional memory
func.func private @k(%y: memref<4x8xf32>, %i: index, %w: memref<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4x8xf32>)
  }
  sched.prefetch @n0 of %w[%i] size 8 : memref<4x8xf32>
  func.return
}

// -----

// CHECK: sched.prefetch: memref<8xf32> does not have 9 elements
func.func private @k(%y: memref<4x8xf32>, %i: index, %w: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4x8xf32>)
  }
  sched.prefetch @n0 of %w[%i] size 9 : memref<8xf32>
  func.return
}

// -----

// CHECK: sched.pass @n0 needs consecutive stages, not [0, 2]
func.func private @k(%y: memref<4x8xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4x8xf32>)
  }
  sched.pass @n0 at [%i] stages [0, 2] : () -> ()
  func.return
}

// -----

// CHECK: sched.pass @n0 has stages [0, 1] of 0
func.func private @k(%y: memref<4x8xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4x8xf32>)
  }
  sched.pass @n0 at [%i] stages [0, 1] : () -> ()
  func.return
}

// -----

// CHECK: sched.pass @n1: its kernel has no nest of this name; known nests: @n0
func.func private @k(%y: memref<4x8xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4x8xf32>)
  }
  sched.pass @n1 at [%i] stages [0] : () -> ()
  func.return
}
