// RUN: devproc-opt %s -p 'decompose-nn{keep="nn.attention"}' | filecheck %s

// Over a cache: a mask of the keys that each query sees, and what is stored cast.
// CHECK-LABEL: func.func @cached(
func.func @cached(%q: tensor<5x8xf32>, %k: tensor<7x8xbf16>, %v: tensor<7x4xbf16>, %l: tensor<5xi64>) -> tensor<5x4xf32> {
  // CHECK:      %[[L:.*]] = nn.reshape %l to [5, 1]
  // CHECK-NEXT: %[[T:.*]] = nn.constant dense<[0, 1, 2, 3, 4, 5, 6]>
  // CHECK-NEXT: %[[SEEN:.*]] = nn.le %[[T]], %[[L]]
  // CHECK-NEXT: %[[N:.*]] = nn.constant dense<3>
  // CHECK-NEXT: %[[B:.*]] = nn.sub %[[L]], %[[N]]
  // CHECK-NEXT: %[[AFTER:.*]] = nn.lt %[[B]], %[[T]]
  // CHECK-NEXT: %[[M:.*]] = nn.and %[[SEEN]], %[[AFTER]]
  // CHECK-NEXT: %[[K:.*]] = nn.cast %k to f32
  // CHECK-NEXT: %[[V:.*]] = nn.cast %v to f32
  // CHECK-NEXT: nn.attention %q, %[[K]], %[[V]] mask %[[M]] scale 5.000000e-01 : f64 empty 1
  %r = nn.cached_attention %q, %k, %v last %l window 3 scale 0.5 : f64 empty 1 : (tensor<5x8xf32>, tensor<7x8xbf16>, tensor<7x4xbf16>, tensor<5xi64>) -> tensor<5x4xf32>
  func.return %r : tensor<5x4xf32>
}

// Softly capped: products and a softmax, before which the others are masked.
// CHECK-LABEL: func.func @capped(
// CHECK:       %[[S:.*]] = nn.matmul %q, %{{.*}} : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
// CHECK-NEXT:  %[[F:.*]] = nn.constant dense<1.000000e-02>
// CHECK-NEXT:  %[[X:.*]] = nn.mul %[[S]], %[[F]]
// CHECK-NEXT:  %[[T:.*]] = nn.tanh %[[X]]
// CHECK-NEXT:  %[[C:.*]] = nn.constant dense<5.000000e+01>
// CHECK-NEXT:  %[[Y:.*]] = nn.mul %[[T]], %[[C]]
// CHECK:       nn.where %{{.*}}, %[[Y]], %{{.*}}
// CHECK:       nn.matmul %{{.*}}, %v
func.func @capped(%q: tensor<5x8xf32>, %k: tensor<7x8xf32>, %v: tensor<7x4xf32>, %l: tensor<5xi64>) -> tensor<5x4xf32> {
  %r = nn.cached_attention %q, %k, %v last %l softcap 50.0 : f64 scale 0.5 : f64 empty 0 : (tensor<5x8xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<5xi64>) -> tensor<5x4xf32>
  func.return %r : tensor<5x4xf32>
}

// In int8, with a scale for each row.
// CHECK-LABEL: func.func @int8(
func.func @int8(%q: tensor<5x8xf32>, %k: tensor<7x8xi8>, %v: tensor<7x4xi8>, %l: tensor<5xi64>, %s: tensor<7x1xf32>) -> tensor<5x4xf32> {
  // CHECK-NEXT: %[[K:.*]] = nn.cast %k to f32
  // CHECK-NEXT: %[[KS:.*]] = nn.mul %[[K]], %s
  // CHECK-NEXT: %[[V:.*]] = nn.cast %v to f32
  // CHECK-NEXT: %[[VS:.*]] = nn.mul %[[V]], %s
  // CHECK:      nn.attention %q, %[[KS]], %[[VS]] mask
  %r = nn.cached_attention %q, %k, %v last %l scales %s, %s : tensor<7x1xf32>, tensor<7x1xf32> scale 0.5 : f64 empty 1 : (tensor<5x8xf32>, tensor<7x8xi8>, tensor<7x4xi8>, tensor<5xi64>) -> tensor<5x4xf32>
  func.return %r : tensor<5x4xf32>
}
