// RUN: devproc-opt %s -p split-choices | filecheck %s

builtin.module {

// Two tensors side by side, and something computed from both: each part reads its own.
// CHECK-LABEL: @join
// CHECK:       linalg_ext.generic
// CHECK-SAME:    affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>
// CHECK-SAME:    ins(%w, %a : memref<2x8xf32>, memref<2x3xf32>) outs(%y : memref<2x8xf32>) attrs =  {loop_sizes = array<i64: 2, 3>}
// CHECK-NEXT:  ^bb0(%[[W:.*]]: f32, %[[A:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:    arith.mulf %[[A]], %[[W]] : f32
// CHECK-NEXT:    linalg.yield
// CHECK:       linalg.generic
// CHECK-SAME:    affine_map<(d0, d1) -> (d0, (d1 + 3))>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, (d1 + 3))>
// CHECK-SAME:    ins(%w, %b : memref<2x8xf32>, memref<2x5xf32>) outs(%y : memref<2x8xf32>)
// CHECK-NOT:     arith.select
func.func private @join(%a: memref<2x3xf32>, %b: memref<2x5xf32>, %w: memref<2x8xf32>, %y: memref<2x8xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.concat"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%w : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {
  ^bb0(%f: f32, %unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %four = arith.constant 4 : index
    %a0 = arith.maxsi %j, %zero : index
    %a1 = arith.minsi %a0, %two : index
    %first = memref.load %a[%i, %a1] : memref<2x3xf32>
    %moved = arith.subi %j, %three : index
    %b0 = arith.maxsi %moved, %zero : index
    %b1 = arith.minsi %b0, %four : index
    %second = memref.load %b[%i, %b1] : memref<2x5xf32>
    %behind = arith.cmpi sge, %j, %three : index
    %chosen = arith.select %behind, %second, %first : f32
    %r = arith.mulf %chosen, %f : f32
    linalg.yield %r : f32
  }
  func.return
}

// Two numbers put around a tensor, as a choice at both ends: the middle reads a part, so
// that no operand gives its loop a size, and what is never read does. The index itself
// goes on counting.
// CHECK-LABEL: @around
// CHECK:       linalg_ext.generic
// CHECK-SAME:    outs(%y : memref<9xi64>) attrs =  {loop_sizes = array<i64: 2>}
// CHECK:         %[[I:.*]] = linalg.index 0 : index
// CHECK-NEXT:    arith.index_cast %[[I]] : index to i64
// CHECK:       linalg_ext.generic
// CHECK-SAME:    affine_map<(d0) -> ((d0 + 1))>, affine_map<(d0) -> ((d0 + 2))>
// CHECK-SAME:    ins(%x : memref<6xi64>) outs(%y : memref<9xi64>) attrs =  {loop_sizes = array<i64: 4>}
// CHECK:       linalg_ext.generic
// CHECK:         %[[J:.*]] = linalg.index 0 : index
// CHECK-NEXT:    %[[SIX:.*]] = arith.constant 6 : index
// CHECK-NEXT:    arith.addi %[[J]], %[[SIX]] : index
func.func private @around(%x: memref<6xi64>, %y: memref<9xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.pad"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } outs(%y : memref<9xi64>) {
  ^bb0(%unused: i64):
    %i = linalg.index 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %five = arith.constant 5 : index
    %number = arith.index_cast %i : index to i64
    %at = arith.subi %i, %one : index
    %element = memref.load %x[%at] : memref<6xi64>
    %low = arith.cmpi sge, %i, %two : index
    %high = arith.cmpi sle, %i, %five : index
    %inside = arith.andi %low, %high : i1
    %r = arith.select %inside, %element, %number : i64
    linalg.yield %r : i64
  }
  func.return
}

// No choice, but read against the loop: an operand, whose stride schedules see.
// CHECK-LABEL: @backwards
// CHECK:       linalg.generic
// CHECK-SAME:    affine_map<(d0) -> (((d0 * -1) + 6))>, affine_map<(d0) -> (d0)>
// CHECK-SAME:    ins(%x : memref<7xf32>) outs(%y : memref<7xf32>)
// CHECK-NOT:     memref.load
// CHECK:       func.return
func.func private @backwards(%x: memref<7xf32>, %y: memref<7xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.slice"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } outs(%y : memref<7xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %back = arith.constant -1 : index
    %six = arith.constant 6 : index
    %minus = arith.muli %i, %back : index
    %at = arith.addi %minus, %six : index
    %a = memref.load %x[%at] : memref<7xf32>
    linalg.yield %a : f32
  }
  func.return
}

// Choices of the channel of a pixel are the schedule's, which interleaves its channels.
// CHECK-LABEL: @stack_planes
// CHECK:       linalg.generic
// CHECK:         arith.select
// CHECK-NOT:   linalg.generic
// CHECK:       func.return
func.func private @stack_planes(%a: memref<64xf32>, %b: memref<64xf32>, %y: memref<64x2xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.concat"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i, k) -> (i, k)>],
    iterator_types = ["parallel", "parallel"]
  } outs(%y : memref<64x2xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 1 : index
    %one = arith.constant 1 : index
    %first = memref.load %a[%i] : memref<64xf32>
    %second = memref.load %b[%i] : memref<64xf32>
    %is_second = arith.cmpi sge, %k, %one : index
    %chosen = arith.select %is_second, %second, %first : f32
    linalg.yield %chosen : f32
  }
  func.return
}

// A choice between two loops is none at a constant place.
// CHECK-LABEL: @triangle
// CHECK:       linalg.generic
// CHECK:         arith.select
// CHECK-NOT:   linalg.generic
// CHECK:       func.return
func.func private @triangle(%x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.where"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %zero = arith.constant 0.0 : f32
    %below = arith.cmpi sle, %j, %i : index
    %r = arith.select %below, %a, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}

// Both indices choose. The columns are split; the row's place is the same for all columns of
// a part, so it stays a choice in the body.
// CHECK-LABEL: @turned_edges
// CHECK-COUNT-2: linalg_ext.generic
// CHECK-NOT:     generic
// CHECK:       func.return
func.func private @turned_edges(%x: memref<6x8xf32>, %y: memref<7x9xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.concat"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } outs(%y : memref<7x9xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %one = arith.constant 1 : index
    %minus = arith.constant -1 : index
    %four = arith.constant 4 : index
    %i0 = arith.subi %i, %one : index
    %i1 = arith.cmpi sge, %i, %one : index
    %row = arith.select %i1, %i0, %one : index
    %back = arith.muli %j, %minus : index
    %from = arith.addi %back, %four : index
    %behind = arith.cmpi slt, %from, %minus : index
    %j0 = arith.subi %j, %one : index
    %column = arith.select %behind, %j0, %one : index
    %e = memref.load %x[%row, %column] : memref<6x8xf32>
    linalg.yield %e : f32
  }
  func.return
}

}
