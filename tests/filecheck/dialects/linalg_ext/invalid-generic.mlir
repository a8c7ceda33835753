// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: linalg_ext.generic needs 'loop_sizes', a non-negative i64 for each loop
func.func @without_sizes(%x: memref<2x9xf32>, %y: memref<2x8xf32>) {
  linalg_ext.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k + 3)>, affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>) attrs = {} {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %unused : f32
  }
  func.return
}

// -----

// CHECK: linalg_ext.generic needs 'loop_sizes', a non-negative i64 for each loop
func.func @too_few_sizes(%x: memref<2x9xf32>, %y: memref<2x8xf32>) {
  linalg_ext.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k + 3)>, affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>) attrs = {loop_sizes = array<i64: 2>} {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %unused : f32
  }
  func.return
}

// -----

// CHECK: linalg_ext.generic needs 'loop_sizes', a non-negative i64 for each loop
func.func @narrow_sizes(%x: memref<2x9xf32>, %y: memref<2x8xf32>) {
  linalg_ext.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k + 3)>, affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>) attrs = {loop_sizes = array<i32: 2, 5>} {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %unused : f32
  }
  func.return
}

// -----

// CHECK: linalg_ext.generic needs 'loop_sizes', a non-negative i64 for each loop
func.func @negative_sizes(%x: memref<2x9xf32>, %y: memref<2x8xf32>) {
  linalg_ext.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k + 3)>, affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>) attrs = {loop_sizes = array<i64: 2, -5>} {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %unused : f32
  }
  func.return
}

// -----

// CHECK: linalg_ext.generic has a map over other loops than its own
func.func @other_loops(%x: memref<2x9xf32>, %y: memref<2x8xf32>) {
  linalg_ext.generic {
    indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>) attrs = {loop_sizes = array<i64: 2, 5>} {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %unused : f32
  }
  func.return
}

// -----

// CHECK: linalg_ext.generic has a map over other loops than its own
func.func @symbols(%x: memref<2x9xf32>, %y: memref<2x8xf32>) {
  linalg_ext.generic {
    indexing_maps = [affine_map<(m, k)[s] -> (m, k + s)>, affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>) attrs = {loop_sizes = array<i64: 2, 5>} {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %unused : f32
  }
  func.return
}

// -----

// CHECK: the body of linalg_ext.generic takes an element of each operand
func.func @wrong_element(%x: memref<2x9xf32>, %y: memref<2x8xf32>) {
  linalg_ext.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k + 3)>, affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>) attrs = {loop_sizes = array<i64: 2, 5>} {
  ^bb0(%a: f64, %unused: f32):
    linalg.yield %unused : f32
  }
  func.return
}

// -----

// CHECK: (d0, d1) -> (d0) does not index 2 dimensions
func.func @wrong_rank(%x: memref<2x9xf32>, %y: memref<2x8xf32>) {
  linalg_ext.generic {
    indexing_maps = [affine_map<(m, k) -> (m)>, affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>) attrs = {loop_sizes = array<i64: 2, 5>} {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %unused : f32
  }
  func.return
}

// -----

// CHECK: goes from 0 to 9 in a dimension of 9
func.func @beyond_the_end(%x: memref<2x9xf32>, %y: memref<2x8xf32>) {
  linalg_ext.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k * 3)>, affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>) attrs = {loop_sizes = array<i64: 2, 4>} {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %unused : f32
  }
  func.return
}

// -----

// CHECK: goes from -1 to 3 in a dimension of 9
func.func @before_the_beginning(%x: memref<2x9xf32>, %y: memref<2x8xf32>) {
  linalg_ext.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k * -1 + 3)>, affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>) attrs = {loop_sizes = array<i64: 2, 5>} {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %unused : f32
  }
  func.return
}

// -----

// CHECK: linalg_ext.generic needs an indexing map for each operand
func.func @too_few_maps(%x: memref<2xf32>, %y: memref<2xf32>) {
  linalg_ext.generic {
    indexing_maps = [affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%x : memref<2xf32>) outs(%y : memref<2xf32>) attrs = {loop_sizes = array<i64: 2>} {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %a : f32
  }
  func.return
}
