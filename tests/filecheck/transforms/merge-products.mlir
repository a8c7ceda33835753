// RUN: devproc-opt %s -p merge-products | filecheck %s

// Three projections of grouped queries become one, in the place of the first. @shared has a
// weight that another op reads, @flat no heads, @wide others, @biased a bias, @plain another
// input: they stay. A second group is merged apart.
// CHECK-LABEL: func.func @main
// CHECK:         %[[Q:.*]] = nn.weight @q
// CHECK-NEXT:    %[[K:.*]] = nn.weight @k
// CHECK-NEXT:    %[[V:.*]] = nn.weight @v
// CHECK-NEXT:    %[[W:.*]] = nn.concat %[[Q]], %[[K]], %[[V]] axis 0 : {{.*}} -> tensor<16x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = nn.linear %x, %[[W]] : {{.*}} -> tensor<2x5x16xf32>
// CHECK-NEXT:    %[[H:.*]] = nn.reshape %[[Y]] to [2, 5, 4, 4]
// CHECK-NEXT:    nn.slice %[[H]] from [0, 0, 0, 0] size [2, 5, 2, 4] step [1, 1, 1, 1]
// CHECK-NEXT:    nn.slice %[[H]] from [0, 0, 2, 0] size [2, 5, 1, 4]
// CHECK-NEXT:    nn.slice %[[H]] from [0, 0, 3, 0] size [2, 5, 1, 4]
// CHECK:         nn.linear %x, %shared
// CHECK:         nn.linear %x, %flat
// CHECK:         nn.linear %x, %wide
// CHECK:         nn.linear %x, %biased bias
// CHECK:         nn.linear %z, %plain
// CHECK:         nn.concat %{{.*}}, %{{.*}} axis 0 : (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK:         nn.concat %{{.*}}, %{{.*}} axis 0 : (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT:    nn.linear %u, {{.*}} bias {{.*}} -> tensor<3x8xf32>
// CHECK-NOT:     nn.linear
!x = tensor<2x5x8xf32>
!w = tensor<4x8xf32>
!b = tensor<4xf32>
!y = tensor<2x5x4xf32>
!h = tensor<2x5x1x4xf32>
builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1,
    cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
func.func @main(%x: !x, %z: !x, %u: tensor<3x8xf32>)
    -> (tensor<2x5x2x4xf32>, !h, !h, !h, !w, !y, tensor<2x5x2x2xf32>, !h, !h, tensor<3x1x4xf32>, tensor<3x1x4xf32>) {
  %wq = nn.weight @q hash "1f" : tensor<8x8xf32>
  %q = nn.linear %x, %wq : (!x, tensor<8x8xf32>) -> !x
  %qh = nn.reshape %q to [2, 5, 2, 4] : (!x) -> tensor<2x5x2x4xf32>
  %wk = nn.weight @k hash "2f" : !w
  %k = nn.linear %x, %wk : (!x, !w) -> !y
  %kh = nn.reshape %k to [2, 5, 1, 4] : (!y) -> !h
  %wv = nn.weight @v hash "3f" : !w
  %v = nn.linear %x, %wv : (!x, !w) -> !y
  %vh = nn.reshape %v to [2, 5, 1, 4] : (!y) -> !h
  %shared = nn.weight @shared hash "4f" : !w
  %s = nn.linear %x, %shared : (!x, !w) -> !y
  %sh = nn.reshape %s to [2, 5, 1, 4] : (!y) -> !h
  %flat = nn.weight @flat hash "5f" : !w
  %f = nn.linear %x, %flat : (!x, !w) -> !y
  %wide = nn.weight @wide hash "6f" : !w
  %d = nn.linear %x, %wide : (!x, !w) -> !y
  %dh = nn.reshape %d to [2, 5, 2, 2] : (!y) -> tensor<2x5x2x2xf32>
  %biased = nn.weight @biased hash "7f" : !w
  %bias = nn.weight @bias hash "8f" : !b
  %b = nn.linear %x, %biased bias %bias : (!x, !w, !b) -> !y
  %bh = nn.reshape %b to [2, 5, 1, 4] : (!y) -> !h
  %plain = nn.weight @plain hash "9f" : !w
  %p = nn.linear %z, %plain : (!x, !w) -> !y
  %ph = nn.reshape %p to [2, 5, 1, 4] : (!y) -> !h
  %w1 = nn.weight @w1 hash "1e" : !w
  %b1 = nn.weight @b1 hash "2e" : !b
  %y1 = nn.linear %u, %w1 bias %b1 : (tensor<3x8xf32>, !w, !b) -> tensor<3x4xf32>
  %h1 = nn.reshape %y1 to [3, 1, 4] : (tensor<3x4xf32>) -> tensor<3x1x4xf32>
  %w2 = nn.weight @w2 hash "3e" : !w
  %b2 = nn.weight @b2 hash "4e" : !b
  %y2 = nn.linear %u, %w2 bias %b2 : (tensor<3x8xf32>, !w, !b) -> tensor<3x4xf32>
  %h2 = nn.reshape %y2 to [3, 1, 4] : (tensor<3x4xf32>) -> tensor<3x1x4xf32>
  func.return %qh, %kh, %vh, %sh, %shared, %f, %dh, %bh, %ph, %h1, %h2
    : tensor<2x5x2x4xf32>, !h, !h, !h, !w, !y, tensor<2x5x2x2xf32>, !h, !h, tensor<3x1x4xf32>, tensor<3x1x4xf32>
}
}
