// RUN: devproc-opt %s --split-input-file -p bubble-up-slices --print-debuginfo | filecheck %s
// What it means: tests/transforms/test_bubble_up_slices.py.

// A residual around a norm and a product, read in one row: each op shrinks once all that
// reads it has, %x is sliced once. A number that broadcasts stays. Locations stay.
// CHECK-LABEL: @residual
// CHECK-NEXT:    %[[X:.*]] = nn.slice %x from [0, 2, 0] size [2, 1, 8] step [1, 1, 1]
// CHECK-NEXT:    %[[S:.*]] = nn.reduce_sum %[[X]] axes [2] keep 1 : (tensor<2x1x8xf32>) -> tensor<2x1x1xf32> loc("norm")
// CHECK-NEXT:    %[[D:.*]] = nn.sub %[[X]], %[[S]] : (tensor<2x1x8xf32>, tensor<2x1x1xf32>) -> tensor<2x1x8xf32> loc("norm")
// CHECK-NEXT:    %[[P:.*]] = nn.linear %[[D]], %w bias %b : (tensor<2x1x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<2x1x8xf32> loc("fc")
// CHECK-NEXT:    %[[R:.*]] = nn.add %[[P]], %[[X]]
// CHECK-NEXT:    func.return %[[R]]
func.func @residual(%x: tensor<2x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<2x1x8xf32> {
  %s = nn.reduce_sum %x axes [2] keep 1 : (tensor<2x5x8xf32>) -> tensor<2x5x1xf32> loc("norm")
  %d = nn.sub %x, %s : (tensor<2x5x8xf32>, tensor<2x5x1xf32>) -> tensor<2x5x8xf32> loc("norm")
  %p = nn.linear %d, %w bias %b : (tensor<2x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<2x5x8xf32> loc("fc")
  %r = nn.add %p, %x : (tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
  %y = nn.slice %r from [0, 2, 0] size [2, 1, 8] step [1, 1, 1] : (tensor<2x5x8xf32>) -> tensor<2x1x8xf32>
  func.return %y : tensor<2x1x8xf32>
}

// -----

// Attention for one query: keys and values stay whole, the mask keeps that row.
// CHECK-LABEL: @attention
// CHECK-DAG:     %[[Q:.*]] = nn.slice %q from [0, 0, 4, 0] size [2, 3, 1, 8]
// CHECK-DAG:     %[[M:.*]] = nn.slice %m from [4, 0] size [1, 5]
// CHECK:         %[[A:.*]] = nn.attention %[[Q]], %k, %k mask %[[M]] scale 1.0
// CHECK-NEXT:    %[[T:.*]] = nn.transpose %[[A]] by [0, 2, 1, 3]
// CHECK-NEXT:    %[[R:.*]] = nn.reshape %[[T]] to [2, 1, 24]
// CHECK-NEXT:    func.return %[[R]]
func.func @attention(%q: tensor<2x3x5x8xf32>, %k: tensor<2x1x5x8xf32>, %m: tensor<5x5xi1>) -> tensor<2x1x24xf32> {
  %a = nn.attention %q, %k, %k mask %m scale 1.0 : f64 empty 1 : (tensor<2x3x5x8xf32>, tensor<2x1x5x8xf32>, tensor<2x1x5x8xf32>, tensor<5x5xi1>) -> tensor<2x3x5x8xf32>
  %t = nn.transpose %a by [0, 2, 1, 3] : (tensor<2x3x5x8xf32>) -> tensor<2x5x3x8xf32>
  %r = nn.reshape %t to [2, 5, 24] : (tensor<2x5x3x8xf32>) -> tensor<2x5x24xf32>
  %y = nn.slice %r from [0, 4, 0] size [2, 1, 24] step [1, 1, 1] : (tensor<2x5x24xf32>) -> tensor<2x1x24xf32>
  func.return %y : tensor<2x1x24xf32>
}

// -----

// Two slices that differ: what lies around both is computed, and each reads its part.
// CHECK-LABEL: @two
// CHECK-NEXT:    %[[X:.*]] = nn.slice %x from [1, 0] size [3, 4] step [1, 1]
// CHECK-NEXT:    %[[R:.*]] = nn.relu %[[X]] : (tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-DAG:     %[[A:.*]] = nn.slice %[[R]] from [0, 0] size [1, 4]
// CHECK-DAG:     %[[B:.*]] = nn.slice %[[R]] from [2, 0] size [2, 4] step [-2, 1]
// CHECK:         func.return %[[A]], %[[B]]
func.func @two(%x: tensor<6x4xf32>) -> (tensor<1x4xf32>, tensor<2x4xf32>) {
  %r = nn.relu %x : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %a = nn.slice %r from [1, 0] size [1, 4] step [1, 1] : (tensor<6x4xf32>) -> tensor<1x4xf32>
  %b = nn.slice %r from [3, 0] size [2, 4] step [-2, 1] : (tensor<6x4xf32>) -> tensor<2x4xf32>
  func.return %a, %b : tensor<1x4xf32>, tensor<2x4xf32>
}

// -----

// Columns of a product are rows of its weight; a slice of a slice is one; of what is
// joined only the parts that are used (a join of one is for canonicalize).
// CHECK-LABEL: @columns
// CHECK-DAG:     %[[W:.*]] = nn.slice %w from [2, 0] size [2, 8]
// CHECK-DAG:     %[[X:.*]] = nn.slice %x from [1, 0] size [1, 8]
// CHECK:         %[[C:.*]] = nn.concat %[[X]] axis 0
// CHECK-NEXT:    %[[P:.*]] = nn.linear %[[C]], %[[W]] : (tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<1x2xf32>
// CHECK-NEXT:    func.return %[[P]]
func.func @columns(%x: tensor<3x8xf32>, %z: tensor<2x8xf32>, %w: tensor<6x8xf32>) -> tensor<1x2xf32> {
  %c = nn.concat %z, %x axis 0 : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<5x8xf32>
  %p = nn.linear %c, %w : (tensor<5x8xf32>, tensor<6x8xf32>) -> tensor<5x6xf32>
  %a = nn.slice %p from [1, 1] size [4, 4] step [1, 1] : (tensor<5x6xf32>) -> tensor<4x4xf32>
  %b = nn.slice %a from [2, 1] size [1, 2] step [1, 1] : (tensor<4x4xf32>) -> tensor<1x2xf32>
  func.return %b : tensor<1x2xf32>
}

// -----

// What something else reads too, what has no smaller form, all elements in another order:
// nothing changes.
// CHECK-LABEL: @stays
// CHECK-NEXT:    %[[R:.*]] = nn.relu %x : (tensor<6x4xf32>)
// CHECK-NEXT:    %[[S:.*]] = nn.slice %[[R]] from [0, 0] size [1, 4]
// CHECK-NEXT:    %[[E:.*]] = nn.exp %x : (tensor<6x4xf32>)
// CHECK-NEXT:    %[[F:.*]] = nn.slice %[[E]] from [5, 0] size [6, 4] step [-1, 1]
// CHECK-NEXT:    %[[P:.*]] = nn.pad %x low [1, 0] high [0, 0]
// CHECK-NEXT:    %[[Q:.*]] = nn.slice %[[P]] from [0, 0] size [2, 4]
// CHECK-NEXT:    func.return %[[R]], %[[S]], %[[F]], %[[Q]]
func.func @stays(%x: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<1x4xf32>, tensor<6x4xf32>, tensor<2x4xf32>) {
  %r = nn.relu %x : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %s = nn.slice %r from [0, 0] size [1, 4] step [1, 1] : (tensor<6x4xf32>) -> tensor<1x4xf32>
  %e = nn.exp %x : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %f = nn.slice %e from [5, 0] size [6, 4] step [-1, 1] : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %p = nn.pad %x low [1, 0] high [0, 0] : (tensor<6x4xf32>) -> tensor<7x4xf32>
  %q = nn.slice %p from [0, 0] size [2, 4] step [1, 1] : (tensor<7x4xf32>) -> tensor<2x4xf32>
  func.return %r, %s, %f, %q : tensor<6x4xf32>, tensor<1x4xf32>, tensor<6x4xf32>, tensor<2x4xf32>
}
