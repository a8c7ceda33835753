// RUN: devproc-opt %s -p decompose-nn | filecheck %s
// RUN: devproc-opt %s -p 'decompose-nn{keep="nn.attention","nn.softmax"}' | filecheck %s --check-prefix=KEEP

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {

// The CPU has a kernel for float32, which half precision takes between casts.
// CHECK-LABEL: func.func @kept(
// KEEP-LABEL: func.func @kept(
func.func @kept(%q: tensor<5x8xf32>, %k: tensor<7x8xf32>, %v: tensor<7x4xf32>) -> tensor<5x4xf32> {
  // CHECK-NEXT: nn.attention %q, %k, %v
  // CHECK-NEXT: func.return
  %r = nn.attention %q, %k, %v scale 0.5 : f64 empty 0 : (tensor<5x8xf32>, tensor<7x8xf32>, tensor<7x4xf32>) -> tensor<5x4xf32>
  func.return %r : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @half(
// KEEP-LABEL: func.func @half(
func.func @half(%q: tensor<5x8xbf16>, %k: tensor<7x8xbf16>, %v: tensor<7x4xbf16>, %m: tensor<7xbf16>) -> tensor<5x4xbf16> {
  // CHECK-NEXT: %[[K:.*]] = nn.cast %k to f32
  // CHECK-NEXT: %[[Q:.*]] = nn.cast %q to f32
  // CHECK-NEXT: %[[M:.*]] = nn.cast %m to f32
  // CHECK-NEXT: %[[V:.*]] = nn.cast %v to f32
  // CHECK-NEXT: %[[A:.*]] = nn.attention %[[Q]], %[[K]], %[[V]] mask %[[M]]
  // CHECK-NEXT: nn.cast %[[A]] to bf16
  // KEEP-NEXT: nn.attention %q, %k, %v mask %m
  %r = nn.attention %q, %k, %v mask %m scale 0.5 : f64 empty 1 : (tensor<5x8xbf16>, tensor<7x8xbf16>, tensor<7x4xbf16>, tensor<7xbf16>) -> tensor<5x4xbf16>
  func.return %r : tensor<5x4xbf16>
}

// Float64 has no kernel; the softmax that this is made of is opened as well.
// CHECK-LABEL: func.func @opened(
func.func @opened(%q: tensor<5x8xf64>, %k: tensor<7x8xf64>, %v: tensor<7x4xf64>, %m: tensor<5x7xi1>) -> tensor<5x4xf64> {
  // CHECK-NEXT: %[[K:.*]] = nn.transpose %k by [1, 0]
  // CHECK-NEXT: %[[P:.*]] = nn.matmul %q, %[[K]]
  // CHECK: nn.mul %[[P]]
  // CHECK: nn.where %m
  // CHECK: nn.eq
  // CHECK: nn.exp
  // CHECK: nn.where
  // CHECK-NEXT: nn.matmul
  // CHECK-NEXT: func.return
  %r = nn.attention %q, %k, %v mask %m scale 0.5 : f64 empty 1 : (tensor<5x8xf64>, tensor<7x8xf64>, tensor<7x4xf64>, tensor<5x7xi1>) -> tensor<5x4xf64>
  func.return %r : tensor<5x4xf64>
}
}
