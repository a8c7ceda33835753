// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// CHECK-LABEL: func.func @case0
func.func @case0(%x: tensor<2x3xi64>) {
  // CHECK-NEXT: %r = pipe.pad_tokens %x to 5 value 0 side "right" : (tensor<2x3xi64>) -> tensor<2x5xi64>
  %r = pipe.pad_tokens %x to 5 value 0 side "right" : (tensor<2x3xi64>) -> tensor<2x5xi64>
  func.return
}

// CHECK-LABEL: func.func @case1
func.func @case1(%x: tensor<2x5xi32>) {
  // CHECK-NEXT: %r = pipe.attention_mask %x pad_id 0 : (tensor<2x5xi32>) -> tensor<2x5xi64>
  %r = pipe.attention_mask %x pad_id 0 : (tensor<2x5xi32>) -> tensor<2x5xi64>
  func.return
}

// CHECK-LABEL: func.func @case2
func.func @case2(%x: tensor<2x5x4xf32>, %m: tensor<2x5xi64>) {
  // CHECK-NEXT: %r = pipe.mean_pool %x, %m : (tensor<2x5x4xf32>, tensor<2x5xi64>) -> tensor<2x4xf32>
  %r = pipe.mean_pool %x, %m : (tensor<2x5x4xf32>, tensor<2x5xi64>) -> tensor<2x4xf32>
  func.return
}

// CHECK-LABEL: func.func @case3
func.func @case3(%x: tensor<2x5x4xf32>) {
  // CHECK-NEXT: %r = pipe.cls_pool %x : (tensor<2x5x4xf32>) -> tensor<2x4xf32>
  %r = pipe.cls_pool %x : (tensor<2x5x4xf32>) -> tensor<2x4xf32>
  func.return
}

// CHECK-LABEL: func.func @case4
func.func @case4(%x: tensor<2x4xf32>) {
  // CHECK-NEXT: %r = pipe.l2_normalize %x axis -1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %r = pipe.l2_normalize %x axis -1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}

// CHECK-LABEL: func.func @case5
func.func @case5(%x: tensor<2x4xf32>, %y: tensor<3x4xf32>) {
  // CHECK-NEXT: %r = pipe.cosine_similarity %x, %y : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  %r = pipe.cosine_similarity %x, %y : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: func.func @case6
func.func @case6(%x: tensor<2x5xf32>) {
  // CHECK-NEXT: %r = pipe.next_token %x strategy "greedy" k 1 p 1.000000e+00 : f64 temperature 1.000000e+00 : f64 : (tensor<2x5xf32>) -> tensor<2xi64>
  %r = pipe.next_token %x strategy "greedy" k 1 p 1.000000e+00 : f64 temperature 1.000000e+00 : f64 : (tensor<2x5xf32>) -> tensor<2xi64>
  func.return
}

// CHECK-LABEL: func.func @case7
func.func @case7(%x: tensor<2x5xf32>, %s: tensor<1xi64>, %e: tensor<2xi64>) {
  // CHECK-NEXT: %r = pipe.next_token %x seed %s strategy "top_k" k 2 p 1.000000e+00 : f64 temperature 5.000000e-01 : f64 : (tensor<2x5xf32>, tensor<1xi64>) -> tensor<2xi64>
  %r = pipe.next_token %x seed %s strategy "top_k" k 2 p 1.000000e+00 : f64 temperature 5.000000e-01 : f64 : (tensor<2x5xf32>, tensor<1xi64>) -> tensor<2xi64>
  // CHECK-NEXT: %each = pipe.next_token %x seed %e strategy "top_k" k 2 p 1.000000e+00 : f64 temperature 5.000000e-01 : f64 : (tensor<2x5xf32>, tensor<2xi64>) -> tensor<2xi64>
  %each = pipe.next_token %x seed %e strategy "top_k" k 2 p 1.000000e+00 : f64 temperature 5.000000e-01 : f64 : (tensor<2x5xf32>, tensor<2xi64>) -> tensor<2xi64>
  func.return
}

// CHECK-LABEL: func.func @case8
func.func @case8(%x: tensor<2x5xf32>, %s: tensor<1xi64>) {
  // CHECK-NEXT: %r = pipe.next_token %x seed %s strategy "top_p" k 5 p 9.000000e-01 : f64 min_p 5.000000e-02 : f64 temperature 1.000000e+00 : f64 : (tensor<2x5xf32>, tensor<1xi64>) -> tensor<2xi64>
  %r = pipe.next_token %x seed %s strategy "top_p" k 5 p 0.9 : f64 min_p 0.05 : f64 temperature 1.0 : f64 : (tensor<2x5xf32>, tensor<1xi64>) -> tensor<2xi64>
  func.return
}

// CHECK-LABEL: func.func @case9
func.func @case9(%c: tensor<2x5xi32>, %i: tensor<2x3xi64>, %n: tensor<1xi64>, %e: tensor<2xi64>) {
  // CHECK-NEXT: %all = pipe.count_tokens %c, %i : (tensor<2x5xi32>, tensor<2x3xi64>) -> tensor<2x5xi32>
  %all = pipe.count_tokens %c, %i : (tensor<2x5xi32>, tensor<2x3xi64>) -> tensor<2x5xi32>
  // CHECK-NEXT: %some = pipe.count_tokens %c, %i length %n : (tensor<2x5xi32>, tensor<2x3xi64>, tensor<1xi64>) -> tensor<2x5xi32>
  %some = pipe.count_tokens %c, %i length %n : (tensor<2x5xi32>, tensor<2x3xi64>, tensor<1xi64>) -> tensor<2x5xi32>
  // CHECK-NEXT: %each = pipe.count_tokens %c, %i length %e : (tensor<2x5xi32>, tensor<2x3xi64>, tensor<2xi64>) -> tensor<2x5xi32>
  %each = pipe.count_tokens %c, %i length %e : (tensor<2x5xi32>, tensor<2x3xi64>, tensor<2xi64>) -> tensor<2x5xi32>
  func.return
}

// CHECK-LABEL: func.func @case10
func.func @case10(%x: tensor<2x5xf32>, %c: tensor<2x5xi64>) {
  // CHECK-NEXT: %r = pipe.penalize_tokens %x, %c repetition 1.300000e+00 : f64 presence 5.000000e-01 : f64 frequency 0.000000e+00 : f64 : (tensor<2x5xf32>, tensor<2x5xi64>) -> tensor<2x5xf32>
  %r = pipe.penalize_tokens %x, %c repetition 1.3 : f64 presence 0.5 : f64 frequency 0.0 : f64 : (tensor<2x5xf32>, tensor<2x5xi64>) -> tensor<2x5xf32>
  func.return
}
