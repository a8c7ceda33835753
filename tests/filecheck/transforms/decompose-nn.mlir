// RUN: devproc-opt %s -p decompose-nn --print-debuginfo | filecheck %s

// Pillow resizes the width first; every op gets the location of what it came from, and
// keeps its name.
// CHECK-LABEL: func.func @resize(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<5x7x3xui8>
func.func @resize(%x: tensor<5x7x3xui8>) -> tensor<8x9x3xui8> {
  // CHECK-NEXT: %[[F0:.*]], %[[T0:.*]] = nn.resample_taps 7 to 9 mode "bilinear" like "pillow" as "int32" : tensor<9xi32>, tensor<9x2xi32> loc(callsite("nn.resize" at "resize"))
  // CHECK-NEXT: %[[F1:.*]], %[[T1:.*]] = nn.resample_taps 5 to 8 mode "bilinear" like "pillow" as "int32"
  // CHECK-NEXT: %[[W:.*]] = nn.resample %[[X]], %[[F0]], %[[T0]] axis 1 : {{.*}} -> tensor<5x9x3xui8> loc(callsite("nn.resize" at "resize"))
  // CHECK-NEXT: nn.resample %[[W]], %[[F1]], %[[T1]] axis 0 : {{.*}} -> tensor<8x9x3xui8>
  %0 = nn.resize %x axes [0, 1] to [8, 9] mode "bilinear" like "pillow" : (tensor<5x7x3xui8>) -> tensor<8x9x3xui8> loc("resize")
  func.return %0 : tensor<8x9x3xui8>
}

// Where outputs are far apart, the rows between them are left out.
// CHECK-LABEL: func.func @resize_of_few_rows(
func.func @resize_of_few_rows(%x: tensor<40x70x3xui8>) -> tensor<8x9x3xui8> {
  // CHECK-NEXT: %[[F0:.*]], %[[T0:.*]] = nn.resample_taps 70 to 9
  // CHECK-NEXT: %[[F1:.*]], %[[T1:.*]], %[[ROWS:.*]] = nn.resample_taps 40 to 8 mode "bilinear, no antialias" like "torchvision" as "int16" compact : {{.*}}, tensor<16xi32>
  // CHECK-NEXT: %[[W:.*]] = nn.resample %x, %[[F0]], %[[T0]] rows %[[ROWS]] axis 1 {fraction_bits = 15 : i64, row_axis = 0 : i64} : {{.*}} -> tensor<16x9x3xui8>
  // CHECK-NEXT: nn.resample %[[W]], %[[F1]], %[[T1]] axis 0 {fraction_bits = 14 : i64} : {{.*}} -> tensor<8x9x3xui8>
  %0 = nn.resize %x axes [0, 1] to [8, 9] mode "bilinear, no antialias" like "torchvision" : (tensor<40x70x3xui8>) -> tensor<8x9x3xui8>
  func.return %0 : tensor<8x9x3xui8>
}

// Unless the height loses more than twice as many pixels as the width.
// CHECK-LABEL: func.func @resize_height_first(
func.func @resize_height_first(%x: tensor<40x7xf32>) -> tensor<8x5xf32> {
  // CHECK-NEXT: nn.resample_taps 40 to 8 mode "lanczos" like "pillow" as "float64"
  // CHECK-NEXT: nn.resample_taps 7 to 5
  // CHECK-NEXT: nn.resample %{{.*}} axis 0
  // CHECK-NEXT: nn.resample %{{.*}} axis 1
  %0 = nn.resize %x axes [0, 1] to [8, 5] mode "lanczos" like "pillow" : (tensor<40x7xf32>) -> tensor<8x5xf32>
  func.return %0 : tensor<8x5xf32>
}

// An axis that keeps its size is left alone; so is an image that does.
// CHECK-LABEL: func.func @resize_one_axis(
func.func @resize_one_axis(%x: tensor<5x7xf32>) -> (tensor<8x7xf32>, tensor<5x7xf32>) {
  // CHECK-NEXT: nn.resample_taps 5 to 8 mode "bilinear" like "torchvision" as "float32"
  // CHECK-NEXT: %[[R:.*]] = nn.resample %{{.*}} axis 0
  // CHECK-NEXT: func.return %[[R]], %x
  %0 = nn.resize %x axes [0, 1] to [8, 7] mode "bilinear" like "torchvision" : (tensor<5x7xf32>) -> tensor<8x7xf32>
  %1 = nn.resize %x axes [0, 1] to [5, 7] mode "box" like "pillow" : (tensor<5x7xf32>) -> tensor<5x7xf32>
  func.return %0, %1 : tensor<8x7xf32>, tensor<5x7xf32>
}

// CHECK-LABEL: func.func @normalize(
func.func @normalize(%x: tensor<2x3x4xui8>, %y: tensor<2x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x4xf32>) {
  // CHECK-NEXT: %[[C:.*]] = nn.cast %x to f32
  // CHECK-NEXT: %[[D:.*]] = nn.constant dense<2.550000e+02> : tensor<f32>
  // CHECK-NEXT: %[[Q:.*]] = nn.div %[[C]], %[[D]]
  // CHECK-NEXT: %[[M:.*]] = nn.constant dense<{{.*}}5.000000e-01{{.*}}2.500000e-01{{.*}}1.250000e-01{{.*}}> : tensor<3x1xf32>
  // CHECK-NEXT: %[[S:.*]] = nn.constant dense<{{.*}}> : tensor<3x1xf32>
  // CHECK-NEXT: %[[B:.*]] = nn.sub %[[Q]], %[[M]] : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: nn.div %[[B]], %[[S]]
  %0 = nn.normalize %x axis 1 mean [0.5, 0.25, 0.125] std [1.0, 2.0, 4.0] : (tensor<2x3x4xui8>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: nn.constant dense<5.000000e-01> : tensor<f32>
  // CHECK-NEXT: nn.constant dense<2.500000e-01> : tensor<f32>
  // CHECK-NEXT: nn.sub %y
  // CHECK-NEXT: nn.div
  %1 = nn.normalize %y axis -1 mean [0.5] std [0.25] : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %0, %1 : tensor<2x3x4xf32>, tensor<2x4xf32>
}

// Half precision is computed in float32 and rounded once.
// CHECK-LABEL: func.func @softmax(
func.func @softmax(%x: tensor<2x3xf16>, %e: tensor<2x0xf32>) -> (tensor<2x3xf16>, tensor<2x0xf32>) {
  // CHECK-NEXT: nn.cast %x to f32
  // CHECK-NEXT: nn.reduce_max %{{.*}} axes [0] keep 1 : (tensor<2x3xf32>) -> tensor<1x3xf32>
  // CHECK-NEXT: nn.sub
  // CHECK-NEXT: nn.exp
  // CHECK-NEXT: nn.reduce_sum %{{.*}} axes [0] keep 1
  // CHECK-NEXT: nn.div
  // CHECK-NEXT: %[[R:.*]] = nn.cast %{{.*}} to f16
  // CHECK-NEXT: func.return %[[R]], %e
  %0 = nn.softmax %x axis 0 : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = nn.softmax %e axis 1 : (tensor<2x0xf32>) -> tensor<2x0xf32>
  func.return %0, %1 : tensor<2x3xf16>, tensor<2x0xf32>
}

// A logarithm of a softmax is not the quotient's: it would lose small chances.
// CHECK-LABEL: func.func @log_softmax(
func.func @log_softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: %[[M:.*]] = nn.reduce_max %x axes [1] keep 1
  // CHECK-NEXT: %[[S:.*]] = nn.sub %x, %[[M]]
  // CHECK-NEXT: %[[E:.*]] = nn.exp %[[S]]
  // CHECK-NEXT: %[[T:.*]] = nn.reduce_sum %[[E]] axes [1] keep 1
  // CHECK-NEXT: %[[L:.*]] = nn.log %[[T]]
  // CHECK-NEXT: %{{.*}} = nn.sub %[[S]], %[[L]]
  %0 = nn.log_softmax %x axis -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @activations(
func.func @activations(%x: tensor<3xf32>, %h: tensor<3xbf16>) -> (tensor<3xf32>, tensor<3xbf16>) {
  // CHECK: nn.erf
  %0 = nn.gelu %x approximate "none" : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: nn.cast %h to f32
  // CHECK: nn.exp
  // CHECK: %[[R:.*]] = nn.cast %{{.*}} to bf16
  // CHECK-NEXT: func.return %{{.*}}, %[[R]]
  %1 = nn.silu %h : (tensor<3xbf16>) -> tensor<3xbf16>
  func.return %0, %1 : tensor<3xf32>, tensor<3xbf16>
}

// The sum of few numbers of half precision is exact: their mean needs no correction.
// CHECK-LABEL: func.func @layer_norm(
func.func @layer_norm(%x: tensor<2x3xf16>, %y: tensor<2x3xf32>) -> (tensor<2x3xf16>, tensor<2x3xf32>, tensor<2x1xf32>) {
  // CHECK-NEXT: nn.cast %x to f32
  // CHECK-COUNT-2: nn.reduce_sum
  // CHECK: nn.sqrt
  // CHECK: nn.cast %{{.*}} to f16
  %0 = nn.layer_norm %x dims 1 epsilon 1.0e-05 : f64 : (tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK-COUNT-3: nn.reduce_sum
  // CHECK: nn.sqrt
  // CHECK: %[[S:.*]] = nn.div
  // CHECK: func.return %{{.*}}, %{{.*}}, %[[S]]
  %1, %m, %s = nn.layer_norm %y dims 1 epsilon 1.0e-05 : f64 statistics : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  func.return %0, %1, %s : tensor<2x3xf16>, tensor<2x3xf32>, tensor<2x1xf32>
}

// Scale and shift by channel; what is of weights alone is computed at compile time.
// CHECK-LABEL: func.func @batch_norm(
func.func @batch_norm(%x: tensor<2x3x5xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<2x3x5xf32> {
  // CHECK: %[[ROOT:.*]] = nn.sqrt
  // CHECK: %[[SCALE:.*]] = nn.div %{{.*}}, %[[ROOT]]
  // CHECK-NEXT: nn.mul %m, %[[SCALE]]
  // CHECK: %[[A:.*]] = nn.reshape %[[SCALE]] to [3, 1]
  // CHECK-NEXT: %[[B:.*]] = nn.reshape
  // CHECK-NEXT: %[[P:.*]] = nn.mul %x, %[[A]]
  // CHECK-NEXT: nn.add %[[P]], %[[B]]
  %0 = nn.batch_norm %x mean %m : tensor<3xf32> variance %v : tensor<3xf32> epsilon 1.0e-05 : f64 : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  func.return %0 : tensor<2x3x5xf32>
}
