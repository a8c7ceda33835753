// RUN: devproc-opt %s -p merge-sliced-ops | filecheck %s

// The rotation of queries and keys, heads 0 to 2 and 2 to 3 of %x: transposed, and split in
// halves, of which one is negated by equal constants. Heads 3 to 4 are only moved, and stay apart.
// CHECK-LABEL: func.func @rotation
// CHECK-NEXT:    nn.slice %x from [0, 0, 3, 0]
// CHECK-NEXT:    nn.transpose {{.*}} -> tensor<1x1x5x6xf32>
// CHECK-NEXT:    %[[M:.*]] = nn.constant dense<-1.000000e+00>
// CHECK-NEXT:    %[[X:.*]] = nn.slice %x from [0, 0, 0, 0] size [1, 5, 3, 6] step [1, 1, 1, 1]
// CHECK-NEXT:    %[[T:.*]] = nn.transpose %[[X]] by [0, 2, 1, 3] : {{.*}} -> tensor<1x3x5x6xf32>
// CHECK-NEXT:    %[[A:.*]] = nn.slice %[[T]] from [0, 0, 0, 0] size [1, 3, 5, 3] step [1, 1, 1, 1]
// CHECK-NEXT:    %[[B:.*]] = nn.slice %[[T]] from [0, 0, 0, 3] size [1, 3, 5, 3] step [1, 1, 1, 1]
// CHECK-NEXT:    %[[N:.*]] = nn.mul %[[B]], %[[M]]
// CHECK-NEXT:    %[[R:.*]] = nn.concat %[[N]], %[[A]] axis 3 : {{.*}} -> tensor<1x3x5x6xf32>
// CHECK-NEXT:    %[[S:.*]] = nn.mul %[[R]], %s
// CHECK-NEXT:    %[[Q:.*]] = nn.slice %[[S]] from [0, 0, 0, 0] size [1, 2, 5, 6] step [1, 1, 1, 1]
// CHECK-NEXT:    %[[K:.*]] = nn.slice %[[S]] from [0, 2, 0, 0] size [1, 1, 5, 6] step [1, 1, 1, 1]
// CHECK:         func.return %[[Q]], %[[K]]
!x = tensor<1x5x4x6xf32>
!q = tensor<1x2x5x6xf32>
!k = tensor<1x1x5x6xf32>
!h = tensor<1x2x5x3xf32>
!g = tensor<1x1x5x3xf32>
!s = tensor<5x2x3xf32>
!t = tensor<5x1x3xf32>
builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1,
    cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
func.func @rotation(%x: !x, %s: !k) -> (!q, !k, !k) {
  %v = nn.slice %x from [0, 0, 3, 0] size [1, 5, 1, 6] step [1, 1, 1, 1] : (!x) -> tensor<1x5x1x6xf32>
  %vt = nn.transpose %v by [0, 2, 1, 3] : (tensor<1x5x1x6xf32>) -> !k
  %m = nn.constant dense<-1.0> : tensor<f32> : tensor<f32>
  %q = nn.slice %x from [0, 0, 0, 0] size [1, 5, 2, 6] step [1, 1, 1, 1] : (!x) -> tensor<1x5x2x6xf32>
  %qt = nn.transpose %q by [0, 2, 1, 3] : (tensor<1x5x2x6xf32>) -> !q
  %k = nn.slice %x from [0, 0, 2, 0] size [1, 5, 1, 6] step [1, 1, 1, 1] : (!x) -> tensor<1x5x1x6xf32>
  %kt = nn.transpose %k by [0, 2, 1, 3] : (tensor<1x5x1x6xf32>) -> !k
  %k1 = nn.slice %kt from [0, 0, 0, 0] size [1, 1, 5, 3] step [1, 1, 1, 1] : (!k) -> !g
  %k2 = nn.slice %kt from [0, 0, 0, 3] size [1, 1, 5, 3] step [1, 1, 1, 1] : (!k) -> !g
  %k3 = nn.mul %k2, %m : (!g, tensor<f32>) -> !g
  %k4 = nn.concat %k3, %k1 axis 3 : (!g, !g) -> !k
  %k5 = nn.mul %k4, %s : (!k, !k) -> !k
  %q1 = nn.slice %qt from [0, 0, 0, 0] size [1, 2, 5, 3] step [1, 1, 1, 1] : (!q) -> !h
  %q2 = nn.slice %qt from [0, 0, 0, 3] size [1, 2, 5, 3] step [1, 1, 1, 1] : (!q) -> !h
  %n = nn.constant dense<-1.0> : tensor<f32> : tensor<f32>
  %q3 = nn.mul %q2, %n : (!h, tensor<f32>) -> !h
  %q4 = nn.concat %q3, %q1 axis 3 : (!h, !h) -> !q
  %q5 = nn.mul %q4, %s : (!q, !k) -> !q
  func.return %q5, %k5, %vt : !q, !k, !k
}

// Three slices become one op, whichever is computed first.
// CHECK-LABEL: func.func @three
// CHECK-NEXT:    %[[E:.*]] = nn.exp %x : {{.*}} -> tensor<5x4x3xf32>
// CHECK-NOT:     nn.exp
func.func @three(%x: tensor<5x4x3xf32>) -> (!s, !t, !t) {
  %b = nn.slice %x from [0, 2, 0] size [5, 1, 3] step [1, 1, 1] : (tensor<5x4x3xf32>) -> !t
  %eb = nn.exp %b : (!t) -> !t
  %a = nn.slice %x from [0, 0, 0] size [5, 2, 3] step [1, 1, 1] : (tensor<5x4x3xf32>) -> !s
  %ea = nn.exp %a : (!s) -> !s
  %c = nn.slice %x from [0, 3, 0] size [5, 1, 3] step [1, 1, 1] : (tensor<5x4x3xf32>) -> !t
  %ec = nn.exp %c : (!t) -> !t
  func.return %ea, %eb, %ec : !s, !t, !t
}

// No neighbours, other operands, operands that are no broadcasts along the axis, other ops,
// and a concatenation along the axis.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-5: nn.slice
// CHECK:         nn.exp %a
// CHECK-NEXT:    nn.exp %c
// CHECK-NEXT:    nn.mul %a, %u
// CHECK-NEXT:    nn.mul %b, %v
// CHECK-NEXT:    nn.add %f, %w
// CHECK-NEXT:    nn.add %g, %w
// CHECK-NEXT:    nn.sin %a
// CHECK-NEXT:    nn.cos %b
// CHECK-NEXT:    %[[C:.*]] = nn.concat %b, %b axis 1
// CHECK-NEXT:    %[[D:.*]] = nn.concat %c, %c axis 1
// CHECK-NEXT:    nn.exp %[[C]]
// CHECK-NEXT:    nn.exp %[[D]]
func.func @apart(%x: tensor<5x8x3xf32>, %u: tensor<3xf32>, %v: tensor<3xf32>, %w: !s)
    -> (!t, !t, !t, !t, !s, !s, !t, !t, !s, !s) {
  %a = nn.slice %x from [0, 0, 0] size [5, 1, 3] step [1, 1, 1] : (tensor<5x8x3xf32>) -> !t
  %b = nn.slice %x from [0, 1, 0] size [5, 1, 3] step [1, 1, 1] : (tensor<5x8x3xf32>) -> !t
  %c = nn.slice %x from [0, 2, 0] size [5, 1, 3] step [1, 1, 1] : (tensor<5x8x3xf32>) -> !t
  %f = nn.slice %x from [0, 6, 0] size [5, 2, 3] step [1, 1, 1] : (tensor<5x8x3xf32>) -> !s
  %g = nn.slice %x from [0, 4, 0] size [5, 2, 3] step [1, 1, 1] : (tensor<5x8x3xf32>) -> !s
  %0 = nn.exp %a : (!t) -> !t
  %1 = nn.exp %c : (!t) -> !t
  %2 = nn.mul %a, %u : (!t, tensor<3xf32>) -> !t
  %3 = nn.mul %b, %v : (!t, tensor<3xf32>) -> !t
  %4 = nn.add %f, %w : (!s, !s) -> !s
  %5 = nn.add %g, %w : (!s, !s) -> !s
  %6 = nn.sin %a : (!t) -> !t
  %7 = nn.cos %b : (!t) -> !t
  %8 = nn.concat %b, %b axis 1 : (!t, !t) -> !s
  %9 = nn.concat %c, %c axis 1 : (!t, !t) -> !s
  %10 = nn.exp %8 : (!s) -> !s
  %11 = nn.exp %9 : (!s) -> !s
  func.return %0, %1, %2, %3, %4, %5, %6, %7, %10, %11
    : !t, !t, !t, !t, !s, !s, !t, !t, !s, !s
}
}
