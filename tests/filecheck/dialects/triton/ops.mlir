// RUN: devproc-opt %s | devproc-opt | filecheck %s

// CHECK-LABEL: triton.func @ops(%x: !triton.ptr<f32>, %n: i32) attributes {grid = array<i64: 4, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32}
triton.func @ops(%x: !triton.ptr<f32>, %n: i32) attributes {grid = array<i64: 4, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  // CHECK: %p = triton.program_id 0 : i32
  %p = triton.program_id 0 : i32
  // CHECK: %i = triton.arange : tensor<64xi32>
  %i = triton.arange : tensor<64xi32>
  // CHECK: %s = triton.splat %p : i32 -> tensor<64xi32>
  %s = triton.splat %p : i32 -> tensor<64xi32>
  %offsets = arith.addi %i, %s : tensor<64xi32>
  // CHECK: %m = triton.compare "slt" %offsets, %s : tensor<64xi32> -> tensor<64xi1>
  %m = triton.compare "slt" %offsets, %s : tensor<64xi32> -> tensor<64xi1>
  // CHECK: %a = triton.addptr %x, %offsets : !triton.ptr<f32>, tensor<64xi32> -> tensor<64x!triton.ptr<f32>>
  %a = triton.addptr %x, %offsets : !triton.ptr<f32>, tensor<64xi32> -> tensor<64x!triton.ptr<f32>>
  %zero = arith.constant 0.0 : f32
  %zeros = triton.splat %zero : f32 -> tensor<64xf32>
  // CHECK: %v = triton.load %a mask %m : tensor<64xi1> other %zeros : tensor<64xf32> : tensor<64x!triton.ptr<f32>> -> tensor<64xf32>
  %v = triton.load %a mask %m : tensor<64xi1> other %zeros : tensor<64xf32> : tensor<64x!triton.ptr<f32>> -> tensor<64xf32>
  // CHECK: %one = triton.load %x : !triton.ptr<f32> -> f32
  %one = triton.load %x : !triton.ptr<f32> -> f32
  // CHECK: %c = triton.expand_dims %v axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %c = triton.expand_dims %v axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  // CHECK: %w = triton.broadcast %c : tensor<64x1xf32> -> tensor<64x16xf32>
  %w = triton.broadcast %c : tensor<64x1xf32> -> tensor<64x16xf32>
  // CHECK: %t = triton.trans %w order [1, 0] : tensor<64x16xf32> -> tensor<16x64xf32>
  %t = triton.trans %w order [1, 0] : tensor<64x16xf32> -> tensor<16x64xf32>
  // CHECK: %ordered = triton.sort %packed axis 1 : tensor<4x64xi64>
  %packed = arith.constant dense<0> : tensor<4x64xi64>
  %ordered = triton.sort %packed axis 1 : tensor<4x64xi64>
  // CHECK: %r = triton.reshape %t : tensor<16x64xf32> -> tensor<32x32xf32>
  %r = triton.reshape %t : tensor<16x64xf32> -> tensor<32x32xf32>
  %acc = triton.splat %zero : f32 -> tensor<64x64xf32>
  // CHECK: %d = triton.dot %w, %t, %acc "ieee" : tensor<64x16xf32>, tensor<16x64xf32> -> tensor<64x64xf32>
  %d = triton.dot %w, %t, %acc "ieee" : tensor<64x16xf32>, tensor<16x64xf32> -> tensor<64x64xf32>
  // CHECK: %max = triton.reduce "max" %d axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %max = triton.reduce "max" %d axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  // CHECK: %chosen = triton.where %m, %max, %v : tensor<64xi1>, tensor<64xf32>
  %chosen = triton.where %m, %max, %v : tensor<64xi1>, tensor<64xf32>
  // CHECK: %half = triton.cast "truncf" %chosen : tensor<64xf32> -> tensor<64xf16>
  %half = triton.cast "truncf" %chosen : tensor<64xf32> -> tensor<64xf16>
  // CHECK: %blocks = triton.make_descriptor %x shape [100, 64] strides [64, 1] : !triton.ptr<f32> -> !triton.descriptor<tensor<32x16xf32>>
  %blocks = triton.make_descriptor %x shape [100, 64] strides [64, 1] : !triton.ptr<f32> -> !triton.descriptor<tensor<32x16xf32>>
  // CHECK: %block = triton.load_descriptor %blocks[%p, %n : i32, i32] : !triton.descriptor<tensor<32x16xf32>> -> tensor<32x16xf32>
  %block = triton.load_descriptor %blocks[%p, %n : i32, i32] : !triton.descriptor<tensor<32x16xf32>> -> tensor<32x16xf32>
  // CHECK: triton.store %a, %chosen mask %m : tensor<64xi1> : tensor<64x!triton.ptr<f32>>, tensor<64xf32>
  triton.store %a, %chosen mask %m : tensor<64xi1> : tensor<64x!triton.ptr<f32>>, tensor<64xf32>
  // CHECK: triton.store %x, %one : !triton.ptr<f32>, f32
  triton.store %x, %one : !triton.ptr<f32>, f32
  // CHECK: triton.atomic "add" %a, %chosen mask %m : tensor<64xi1> : tensor<64x!triton.ptr<f32>>, tensor<64xf32>
  triton.atomic "add" %a, %chosen mask %m : tensor<64xi1> : tensor<64x!triton.ptr<f32>>, tensor<64xf32>
  // CHECK: triton.return
  triton.return
}
