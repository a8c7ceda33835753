// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// CHECK: func.func @main(%image: tensor<5x7x3xui8, #pipe.axes<"HWC">> {dev.name = "image"})
func.func @main(%image: tensor<5x7x3xui8, #pipe.axes<"HWC">> {dev.name = "image"}) -> (tensor<1xi64> {dev.name = "label"}) {
  // CHECK-NEXT: %a = pipe.resize %image to [4, 6] mode "bilinear" like "pillow" : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<4x6x3xui8, #pipe.axes<"HWC">>
  %a = pipe.resize %image to [4, 6] mode "bilinear" like "pillow" : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<4x6x3xui8, #pipe.axes<"HWC">>
  // CHECK-NEXT: %b = pipe.cast %a to f32 : (tensor<4x6x3xui8, #pipe.axes<"HWC">>) -> tensor<4x6x3xf32, #pipe.axes<"HWC">>
  %b = pipe.cast %a to f32 : (tensor<4x6x3xui8, #pipe.axes<"HWC">>) -> tensor<4x6x3xf32, #pipe.axes<"HWC">>
  // CHECK-NEXT: %c = pipe.normalize %b mean [0.5, 0.25, 1.0e-05] std [1.0, 2.0, 0.1] :
  %c = pipe.normalize %b mean [0.5, 0.25, 1.0e-05] std [1.0, 2.0, 0.1] : (tensor<4x6x3xf32, #pipe.axes<"HWC">>) -> tensor<4x6x3xf32, #pipe.axes<"HWC">>
  // CHECK-NEXT: %scaled = pipe.normalize %image mean [127.5, 120.0, 1.0] std [58.0, 57.0, 2.5] scale 1.000000e+00 : f64 :
  %scaled = pipe.normalize %image mean [127.5, 120.0, 1.0] std [58.0, 57.0, 2.5] scale 1.0 : f64 : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<5x7x3xf32, #pipe.axes<"HWC">>
  // CHECK-NEXT: %d = pipe.layout %c from "HWC" to "NCHW" : (tensor<4x6x3xf32, #pipe.axes<"HWC">>) -> tensor<1x3x4x6xf32, #pipe.axes<"NCHW">>
  %d = pipe.layout %c from "HWC" to "NCHW" : (tensor<4x6x3xf32, #pipe.axes<"HWC">>) -> tensor<1x3x4x6xf32, #pipe.axes<"NCHW">>
  // CHECK-NEXT: %e = pipe.model @model(%d) : (tensor<1x3x4x6xf32, #pipe.axes<"NCHW">>) -> tensor<1x72xf32>
  %e = pipe.model @model(%d) : (tensor<1x3x4x6xf32, #pipe.axes<"NCHW">>) -> tensor<1x72xf32>
  // CHECK-NEXT: %f = pipe.softmax %e axis -1 : (tensor<1x72xf32>) -> tensor<1x72xf32>
  %f = pipe.softmax %e axis -1 : (tensor<1x72xf32>) -> tensor<1x72xf32>
  // CHECK-NEXT: %g = pipe.argmax %f axis -1 : (tensor<1x72xf32>) -> tensor<1xi64>
  %g = pipe.argmax %f axis -1 : (tensor<1x72xf32>) -> tensor<1xi64>
  func.return %g : tensor<1xi64>
}

func.func private @model(%x: tensor<1x3x4x6xf32>) -> tensor<1x72xf32> {
  %y = nn.reshape %x to [1, 72] : (tensor<1x3x4x6xf32>) -> tensor<1x72xf32>
  func.return %y : tensor<1x72xf32>
}
