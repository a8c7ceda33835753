// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: linalg_ext.sort takes rows of i32 or i64
func.func @floats(%x: memref<7xf32>, %i: memref<7xi64>) {
  linalg_ext.sort %x into %i : (memref<7xf32>, memref<7xi64>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.sort writes i64 indices, no more than elements
func.func @places(%x: memref<2x7xi32>, %i: memref<2x8xi64>) {
  linalg_ext.sort %x into %i : (memref<2x7xi32>, memref<2x8xi64>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.sort needs workspace for two copies of each row in i64
func.func @room(%x: memref<2x7xi32>, %i: memref<2x7xi64>, %room: memref<2x7xi64>) {
  linalg_ext.sort %x into %i, %room : (memref<2x7xi32>, memref<2x7xi64>, memref<2x7xi64>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.sort has a result for each tensor that it writes
func.func @result(%x: tensor<7xi32>, %i: tensor<7xi64>) {
  linalg_ext.sort %x into %i : (tensor<7xi32>, tensor<7xi64>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.sort_runs keeps 1 to 4 elements of a run
func.func @first(%x: memref<2x7xi32>, %i: memref<2x7xi64>) {
  linalg_ext.sort_runs %x : memref<2x7xi32> into %i : memref<2x7xi64> run 4 first 5
  func.return
}

// -----

// CHECK: linalg_ext.merge_runs needs i32 or i64 indices of the shape [2, 4]
func.func @kept(%x: memref<2x7xi32>, %of: memref<2x7xi32>, %i: memref<2x7xi64>) {
  linalg_ext.merge_runs %x : memref<2x7xi32> of %of : memref<2x7xi32> into %i : memref<2x7xi64> run 2 ways 2 first 2
  func.return
}

// -----

// CHECK: linalg_ext.merge_runs merges two runs or more
func.func @ways(%x: memref<2x7xi32>, %of: memref<2x7xi32>, %i: memref<2x7xi64>) {
  linalg_ext.merge_runs %x : memref<2x7xi32> of %of : memref<2x7xi32> into %i : memref<2x7xi64> run 7 ways 1 first 7
  func.return
}

// -----

// CHECK: linalg_ext.kth_value writes an i64 index for each i64 rank of a row
func.func @ranks(%x: memref<2x7xi32>, %k: memref<2x3xi64>, %i: memref<2x2xi64>) {
  linalg_ext.kth_value %x at %k into %i : (memref<2x7xi32>, memref<2x3xi64>, memref<2x2xi64>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.kth_value needs an element in each row
func.func @empty(%x: memref<2x0xi32>, %k: memref<2x3xi64>, %i: memref<2x3xi64>) {
  linalg_ext.kth_value %x at %k into %i : (memref<2x0xi32>, memref<2x3xi64>, memref<2x3xi64>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.kth_value needs workspace for 2 or more elements a row
func.func @little_room(%x: memref<2x7xi32>, %k: memref<2x3xi64>, %i: memref<2x3xi64>, %room: memref<2x1xi32>) {
  linalg_ext.kth_value %x at %k into %i, %room : (memref<2x7xi32>, memref<2x3xi64>, memref<2x3xi64>, memref<2x1xi32>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.first_places writes i64 indices of a row
func.func @no_places(%x: memref<2x7xi32>, %last: memref<2x1xi64>, %i: memref<2x0xi64>) {
  linalg_ext.first_places %x up_to %last into %i : (memref<2x7xi32>, memref<2x1xi64>, memref<2x0xi64>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.first_places needs an i64 index for each row
func.func @last(%x: memref<2x7xi32>, %last: memref<2xi64>, %i: memref<2x3xi64>) {
  linalg_ext.first_places %x up_to %last into %i : (memref<2x7xi32>, memref<2xi64>, memref<2x3xi64>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.scatter needs an integer index and an axis
func.func @index(%u: memref<2xf32>, %i: memref<2xf32>, %t: memref<9xf32>) {
  linalg_ext.scatter %u at %i into %t axis 0 {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  } : (memref<2xf32>, memref<2xf32>, memref<9xf32>) -> ()
  func.return
}

// -----

// CHECK: updates and index must broadcast to the target
func.func @shapes(%u: memref<2x3xf32>, %i: memref<2x1xi64>, %t: memref<9x4xf32>) {
  linalg_ext.scatter %u at %i into %t axis 0 {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  } : (memref<2x3xf32>, memref<2x1xi64>, memref<9x4xf32>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.scatter_sorted needs a place for each integer index
func.func @places(%u: memref<2x4xf32>, %x: memref<9x4xf32>, %i: memref<1x2xi32>, %p: memref<1x3xi64>, %t: memref<9x4xf32>) {
  linalg_ext.scatter_sorted %u, %x at %i, %p into %t axis 0 {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  } : (memref<2x4xf32>, memref<9x4xf32>, memref<1x2xi32>, memref<1x3xi64>, memref<9x4xf32>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.scatter has a result for each tensor that it writes
func.func @result(%u: tensor<2xf32>, %i: tensor<2xi64>, %t: tensor<9xf32>) {
  linalg_ext.scatter %u at %i into %t axis 0 {
  ^bb0(%new: f32, %old: f32):
    linalg.yield %new : f32
  } : (tensor<2xf32>, tensor<2xi64>, tensor<9xf32>) -> ()
  func.return
}

// -----

// CHECK: linalg_ext.nms writes indices and counts, and needs workspace for all candidates and the kept boxes
func.func @candidates(%b: memref<2x9x1x4xf32>, %s: memref<2x27xf32>, %i: memref<2x8xi64>, %n: memref<2xi64>, %keys: memref<2x9xi64>, %kept: memref<2x5x16xf32>, %k: memref<2x16xi64>) {
  linalg_ext.nms %b, %s into %i, %n, %keys, %kept, %k overlap 5.000000e-01 : f32 score 0.000000e+00 : f32 agnostic 0 : (memref<2x9x1x4xf32>, memref<2x27xf32>, memref<2x8xi64>, memref<2xi64>, memref<2x9xi64>, memref<2x5x16xf32>, memref<2x16xi64>) -> ()
  func.return
}
