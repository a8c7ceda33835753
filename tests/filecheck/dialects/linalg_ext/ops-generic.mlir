// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// The loops end before the rows of %x and %y do.
func.func @part_of_rows(%x: memref<2x9xf32>, %y: memref<2x8xf32>) {
  // CHECK:      linalg_ext.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, (d1 + 3))>, affine_map<(d0, d1) -> (d0, d1)>]
  // CHECK-SAME: ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>) attrs =  {loop_sizes = array<i64: 2, 5>}
  linalg_ext.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k + 3)>, affine_map<(m, k) -> (m, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>) attrs = {loop_sizes = array<i64: 2, 5>} {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %a : f32
  }
  func.return
}

// No operand gives the loop its size; it runs backwards over %x, and yields a tensor.
func.func @backwards(%x: tensor<7xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  // CHECK:      %r = linalg_ext.generic {indexing_maps = [affine_map<(d0) -> (((d0 * -1) + 6))>, affine_map<(d0) -> ((d0 + 1))>]
  // CHECK-SAME: attrs =  {loop_sizes = array<i64: 7>}
  // CHECK:      -> tensor<9xf32>
  %r = linalg_ext.generic {
    indexing_maps = [affine_map<(i) -> (i * -1 + 6)>, affine_map<(i) -> (i + 1)>],
    iterator_types = ["parallel"]
  } ins(%x : tensor<7xf32>) outs(%y : tensor<9xf32>) attrs = {loop_sizes = array<i64: 7>} {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %a : f32
  } -> tensor<9xf32>
  func.return %r : tensor<9xf32>
}
