// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: triton.scan has a result for each block, of its type
triton.func @results(%x: tensor<4x64xf32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %r = triton.scan %x axis 1 {
  ^bb0(%a: f32, %b: f32):
    triton.yield %b : f32
  } : (tensor<4x64xf32>) -> tensor<4x32xf32>
  triton.return
}

// -----

// CHECK: triton.scan along axis 2 needs blocks of one shape with that axis
triton.func @axis(%x: tensor<4x64xf32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %r = triton.scan %x axis 2 {
  ^bb0(%a: f32, %b: f32):
    triton.yield %b : f32
  } : (tensor<4x64xf32>) -> tensor<4x64xf32>
  triton.return
}

// -----

// CHECK: triton.scan along axis 0 needs blocks of one shape with that axis
triton.func @shapes(%x: tensor<4x64xf32>, %y: tensor<4x32xf32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %r, %s = triton.scan %x, %y axis 0 {
  ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
    triton.yield %b, %d : f32, f32
  } : (tensor<4x64xf32>, tensor<4x32xf32>) -> (tensor<4x64xf32>, tensor<4x32xf32>)
  triton.return
}

// -----

// CHECK: the region of triton.scan takes two elements of each block, and yields one
triton.func @region(%x: tensor<4x64xf32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %r = triton.scan %x axis 1 {
  ^bb0(%a: f64, %b: f64):
    triton.yield %b : f64
  } : (tensor<4x64xf32>) -> tensor<4x64xf32>
  triton.return
}
