// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: result has shape [48]: block dimensions must be powers of two
triton.func @not_a_power_of_two() attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %i = triton.arange : tensor<48xi32>
  triton.return
}

// -----

// CHECK: result holds 2097152 elements, a block at most 1048576
triton.func @too_large() attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %i = triton.arange : tensor<2097152xi32>
  triton.return
}

// -----

// CHECK: grid [1, 65536, 1]: CUDA allows 65535 programs along y and z
triton.func @grid() attributes {grid = array<i64: 1, 65536, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  triton.return
}

// -----

// CHECK: num_warps must be a power of two to 32, got 3
triton.func @warps() attributes {grid = array<i64: 1, 1, 1>, num_warps = 3 : i32, num_stages = 1 : i32} {
  triton.return
}

// -----

// CHECK: cannot broadcast [2, 4] to [4, 4]: only dimensions of size 1 grow
triton.func @broadcast() attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %y = triton.broadcast %x : tensor<2x4xf32> -> tensor<4x4xf32>
  triton.return
}

// -----

// CHECK: mask has shape [4], expected [8]
triton.func @mask_shape(%x: tensor<8x!triton.ptr<f32>>, %m: tensor<4xi1>, %v: tensor<8xf32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  triton.store %x, %v mask %m : tensor<4xi1> : tensor<8x!triton.ptr<f32>>, tensor<8xf32>
  triton.return
}

// -----

// CHECK: value has elements of type f16, expected f32
triton.func @stored_type(%x: !triton.ptr<f32>, %v: f16) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  triton.store %x, %v : !triton.ptr<f32>, f16
  triton.return
}

// -----

// CHECK: a masked load needs `other`, an unmasked has none
triton.func @load_other(%x: tensor<8x!triton.ptr<f32>>, %m: tensor<8xi1>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %v = triton.load %x mask %m : tensor<8xi1> : tensor<8x!triton.ptr<f32>> -> tensor<8xf32>
  triton.return
}

// -----

// CHECK: dot of shapes [16, 16] and [32, 16]: expected [M, K] and [K, N]
triton.func @dot_shapes(%a: tensor<16x16xf32>, %b: tensor<32x16xf32>, %c: tensor<16x16xf32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %d = triton.dot %a, %b, %c "ieee" : tensor<16x16xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
  triton.return
}

// -----

// CHECK: M, N and K must be at least 16
triton.func @dot_small(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %d = triton.dot %a, %b, %c "ieee" : tensor<16x8xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
  triton.return
}

// -----

// CHECK: unknown input precision 'bf8'; one of ieee, tf32, tf32x3
triton.func @dot_precision(%a: tensor<16x16xf32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %d = triton.dot %a, %a, %a "bf8" : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  triton.return
}

// -----

// CHECK: unknown reduction 'mean'; one of sum, max, min
triton.func @reduction(%a: tensor<16x16xf32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %d = triton.reduce "mean" %a axis 0 : tensor<16x16xf32> -> tensor<16xf32>
  triton.return
}

// -----

// CHECK: unknown predicate 'slt'; one of false, oeq
triton.func @predicate(%a: f32) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %d = triton.compare "slt" %a, %a : f32 -> i1
  triton.return
}

// -----

// CHECK: the counter of a loop to 100 is i32 in Triton, but i64 here; convert it inside of the loop
triton.func @k() attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %low = arith.constant 0 : i64
  %high = arith.constant 100 : i64
  %step = arith.constant 1 : i64
  scf.for %k = %low to %high step %step : i64 {
    scf.yield
  }
  triton.return
}

// -----

// CHECK: axis 0 is not the last one of [4, 64]
func.func @sorted_columns(%x: tensor<4x64xi64>) {
  %r = triton.sort %x axis 0 : tensor<4x64xi64>
  func.return
}

// -----

// CHECK: triton.sort orders integers
func.func @sorted_floats(%x: tensor<4x64xf32>) {
  %r = triton.sort %x axis 1 : tensor<4x64xf32>
  func.return
}

// -----

// CHECK: an atomic combines i32 or i64, or adds f32
func.func @atomic_maximum_of_floats(%p: tensor<64x!triton.ptr<f32>>, %x: tensor<64xf32>) {
  triton.atomic "max" %p, %x : tensor<64x!triton.ptr<f32>>, tensor<64xf32>
  func.return
}

// -----

// CHECK: unknown atomic 'mul'; one of add, max, min
func.func @atomic_product(%p: tensor<64x!triton.ptr<i32>>, %x: tensor<64xi32>) {
  triton.atomic "mul" %p, %x : tensor<64x!triton.ptr<i32>>, tensor<64xi32>
  func.return
}

// -----

// CHECK: the last stride is 2, not 1
triton.func @descriptor(%x: !triton.ptr<f32>, %i: i32) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %d = triton.make_descriptor %x shape [100, 32] strides [64, 2] : !triton.ptr<f32> -> !triton.descriptor<tensor<16x16xf32>>
  triton.return
}

// -----

// CHECK: a stride of 300 bytes is no multiple of 16
triton.func @descriptor(%x: !triton.ptr<f32>, %i: i32) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %d = triton.make_descriptor %x shape [100, 75] strides [75, 1] : !triton.ptr<f32> -> !triton.descriptor<tensor<16x16xf32>>
  triton.return
}

// -----

// CHECK: block, shape and strides must have one rank, at most 5
triton.func @descriptor(%x: !triton.ptr<f32>, %i: i32) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %d = triton.make_descriptor %x shape [100, 64] strides [64, 1] : !triton.ptr<f32> -> !triton.descriptor<tensor<16xf32>>
  triton.return
}

// -----

// CHECK: lines of 2 elements have less than 16 bytes
triton.func @descriptor(%x: !triton.ptr<f32>, %i: i32) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %d = triton.make_descriptor %x shape [100, 64] strides [64, 1] : !triton.ptr<f32> -> !triton.descriptor<tensor<16x2xf32>>
  triton.return
}

// -----

// CHECK: a block of [512, 16] has a dimension of more than 256
triton.func @descriptor(%x: !triton.ptr<f32>, %i: i32) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %d = triton.make_descriptor %x shape [1000, 64] strides [64, 1] : !triton.ptr<f32> -> !triton.descriptor<tensor<512x16xf32>>
  triton.return
}

// -----

// CHECK: 1 indices of a descriptor of 2 dimensions
triton.func @descriptor(%x: !triton.ptr<f32>, %i: i32) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %d = triton.make_descriptor %x shape [100, 64] strides [64, 1] : !triton.ptr<f32> -> !triton.descriptor<tensor<16x16xf32>>
  %v = triton.load_descriptor %d[%i : i32] : !triton.descriptor<tensor<16x16xf32>> -> tensor<16x16xf32>
  triton.return
}
