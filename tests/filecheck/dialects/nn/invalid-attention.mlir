// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: do not fit: they are (..., S, D), (..., T, D), (..., T, E)
func.func @main(%0: tensor<5x8xf32>, %1: tensor<7x9xf32>, %2: tensor<7x4xf32>) {
  %r = nn.attention %0, %1, %2 scale 0.5 : f64 empty 0 : (tensor<5x8xf32>, tensor<7x9xf32>, tensor<7x4xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

// CHECK: nn.attention takes floating-point operands, got int8 (5, 8)
func.func @main(%0: tensor<5x8xi8>, %1: tensor<7x8xi8>, %2: tensor<7x4xi8>) {
  %r = nn.attention %0, %1, %2 scale 0.5 : f64 empty 0 : (tensor<5x8xi8>, tensor<7x8xi8>, tensor<7x4xi8>) -> tensor<5x4xi8>
  func.return
}

// -----

// CHECK: the mask float32 (2, 5, 7) does not broadcast to the scores (5, 7)
func.func @main(%0: tensor<5x8xf32>, %1: tensor<7x8xf32>, %2: tensor<7x4xf32>, %3: tensor<2x5x7xf32>) {
  %r = nn.attention %0, %1, %2 mask %3 scale 0.5 : f64 empty 0 : (tensor<5x8xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<2x5x7xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

// CHECK: last must be int32 or int64 and broadcast to the rows of the scores (5), got float32 (5)
func.func @main(%0: tensor<5x8xf32>, %1: tensor<7x8xf32>, %2: tensor<7x4xf32>, %3: tensor<5xf32>) {
  %r = nn.cached_attention %0, %1, %2 last %3 scale 0.5 : f64 empty 0 : (tensor<5x8xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<5xf32>) -> tensor<5x4xf32>
  func.return
}

// -----

// CHECK: key float32 (7, 8) and value float32 (7, 4) must not be wider than the query float16 (5, 8)
func.func @main(%0: tensor<5x8xf16>, %1: tensor<7x8xf32>, %2: tensor<7x4xf32>, %3: tensor<5xi64>) {
  %r = nn.cached_attention %0, %1, %2 last %3 scale 0.5 : f64 empty 0 : (tensor<5x8xf16>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<5xi64>) -> tensor<5x4xf16>
  func.return
}

// -----

// CHECK: the window must be of one key at least
func.func @main(%0: tensor<5x8xf32>, %1: tensor<7x8xf32>, %2: tensor<7x4xf32>, %3: tensor<5xi64>) {
  %r = nn.cached_attention %0, %1, %2 last %3 window 0 scale 0.5 : f64 empty 0 : (tensor<5x8xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<5xi64>) -> tensor<5x4xf32>
  func.return
}

// -----

// CHECK: the softcap must be positive and finite
func.func @main(%0: tensor<5x8xf32>, %1: tensor<7x8xf32>, %2: tensor<7x4xf32>, %3: tensor<5xi64>) {
  %r = nn.cached_attention %0, %1, %2 last %3 softcap 0.0 : f64 scale 0.5 : f64 empty 0 : (tensor<5x8xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<5xi64>) -> tensor<5x4xf32>
  func.return
}

// -----

// CHECK: key int8 (7, 8) and value int8 (7, 4) in int8 need scales in float32, one for each row, got float32 (7, 1) and float32 (1, 1)
func.func @main(%0: tensor<5x8xf32>, %1: tensor<7x8xi8>, %2: tensor<7x4xi8>, %3: tensor<5xi64>, %4: tensor<7x1xf32>, %5: tensor<1x1xf32>) {
  %r = nn.cached_attention %0, %1, %2 last %3 scales %4, %5 : tensor<7x1xf32>, tensor<1x1xf32> scale 0.5 : f64 empty 0 : (tensor<5x8xf32>, tensor<7x8xi8>, tensor<7x4xi8>, tensor<5xi64>) -> tensor<5x4xf32>
  func.return
}
