// RUN: devproc-opt %s -p lower-pipe --print-debuginfo | filecheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<2x3x5x7xui8> {dev.name = "image"} loc("image"("app.py":3:0))
// CHECK-SAME: -> (tensor<2x3x8x9xf32> {dev.name = "y"}, tensor<2x8x9xi64>)
func.func @main(%x: tensor<2x3x5x7xui8, #pipe.axes<"NCHW">> {dev.name = "image"} loc("image"("app.py":3:0))) -> (tensor<2x3x8x9xf32, #pipe.axes<"NCHW">> {dev.name = "y"}, tensor<2x8x9xi64, #pipe.axes<"NHW">>) {
  // Axes come from the layout of each operand.
  // CHECK-NEXT: %[[R:.*]] = nn.resize %[[X]] axes [2, 3] to [8, 9] mode "bilinear" like "pillow" : (tensor<2x3x5x7xui8>) -> tensor<2x3x8x9xui8> loc("resize"("app.py":4:0))
  %0 = pipe.resize %x to [8, 9] mode "bilinear" like "pillow" : (tensor<2x3x5x7xui8, #pipe.axes<"NCHW">>) -> tensor<2x3x8x9xui8, #pipe.axes<"NCHW">> loc("resize"("app.py":4:0))
  // CHECK-NEXT: %[[N:.*]] = nn.normalize %[[R]] axis 1 mean [0.5, 0.25, 0.125] std [1.0, 1.0, 1.0]
  %1 = pipe.normalize %0 mean [0.5, 0.25, 0.125] std [1.0, 1.0, 1.0] : (tensor<2x3x8x9xui8, #pipe.axes<"NCHW">>) -> tensor<2x3x8x9xf32, #pipe.axes<"NCHW">>
  // CHECK-NEXT: %[[S:.*]] = nn.softmax %[[N]] axis 1
  %2 = pipe.softmax %1 axis 1 : (tensor<2x3x8x9xf32, #pipe.axes<"NCHW">>) -> tensor<2x3x8x9xf32, #pipe.axes<"NCHW">>
  // CHECK-NEXT: %[[C:.*]] = nn.cast %[[S]] to f64 : (tensor<2x3x8x9xf32>) -> tensor<2x3x8x9xf64>
  %3 = pipe.cast %2 to f64 : (tensor<2x3x8x9xf32, #pipe.axes<"NCHW">>) -> tensor<2x3x8x9xf64, #pipe.axes<"NCHW">>
  // CHECK-NEXT: %[[A:.*]] = nn.argmax %[[C]] axis 1 keep 0 : (tensor<2x3x8x9xf64>) -> tensor<2x8x9xi64>
  %4 = pipe.argmax %3 axis 1 : (tensor<2x3x8x9xf64, #pipe.axes<"NCHW">>) -> tensor<2x8x9xi64, #pipe.axes<"NHW">>
  // CHECK-NEXT: func.return %[[N]], %[[A]] : tensor<2x3x8x9xf32>, tensor<2x8x9xi64>
  func.return %1, %4 : tensor<2x3x8x9xf32, #pipe.axes<"NCHW">>, tensor<2x8x9xi64, #pipe.axes<"NHW">>
}

// CHECK-LABEL: func.func @layouts(
func.func @layouts(%x: tensor<1x4x5x3xf32, #pipe.axes<"NHWC">>, %y: tensor<4x5xf32, #pipe.axes<"HW">>) -> (tensor<3x4x5xf32, #pipe.axes<"CHW">>, tensor<1x1x4x5xf32, #pipe.axes<"NCHW">>) {
  // CHECK: nn.reshape %{{.*}} to [4, 5, 3] : (tensor<1x4x5x3xf32>)
  // CHECK-NEXT: nn.transpose %{{.*}} by [2, 0, 1] : (tensor<4x5x3xf32>) -> tensor<3x4x5xf32>
  // CHECK-NEXT: nn.reshape %{{.*}} to [3, 4, 5]
  %0 = pipe.layout %x from "NHWC" to "CHW" : (tensor<1x4x5x3xf32, #pipe.axes<"NHWC">>) -> tensor<3x4x5xf32, #pipe.axes<"CHW">>
  // A gray image has no channel axis: one channel, added by the layout.
  // CHECK: nn.normalize %{{.*}} axis -1 mean [0.5] std [0.25]
  %1 = pipe.normalize %y mean [0.5] std [0.25] : (tensor<4x5xf32, #pipe.axes<"HW">>) -> tensor<4x5xf32, #pipe.axes<"HW">>
  // CHECK: nn.reshape %{{.*}} to [1, 1, 4, 5] : (tensor<4x5xf32>) -> tensor<1x1x4x5xf32>
  %2 = pipe.layout %1 from "HW" to "NCHW" : (tensor<4x5xf32, #pipe.axes<"HW">>) -> tensor<1x1x4x5xf32, #pipe.axes<"NCHW">>
  func.return %0, %2 : tensor<3x4x5xf32, #pipe.axes<"CHW">>, tensor<1x1x4x5xf32, #pipe.axes<"NCHW">>
}
