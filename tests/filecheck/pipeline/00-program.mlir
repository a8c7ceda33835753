// RUN: devproc-opt %s --from-stage program --to-stage tensor | filecheck %s

// The story of one program. This is what the user wrote: an image of 6 x 8 gray pixels,
// resized as Pillow does it, normalised, laid out for the model, classified; and the wish
// that the convolution and what follows it run on the GPU. The next stage makes it one
// graph of tensor ops: the model is inlined, its steps become primitives, and what only
// depends on sizes and weights moves to @prepare.

// CHECK:      func.func @main(%image: tensor<6x8xui8> {dev.name = "image"})
// CHECK-NOT:    pipe.
// CHECK:        nn.resample %image, %{{.*}} axis 1
// CHECK:        nn.conv2d
// CHECK:        nn.argmax
// CHECK:      func.func private @prepare()
// CHECK-NEXT:   nn.resample_taps 8 to 6 mode "bilinear" like "pillow" as "int32"

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 128>, cuda = #triton.options<arch = "sm_90", interpret = 1>>, devproc.placement = [["nn.conv2d", "cuda"], ["nn.relu", "cuda"], ["nn.max_pool2d", "cuda"]]} {
  func.func @main(%image: tensor<6x8xui8, #pipe.axes<"HW">> {dev.name = "image"}) -> (tensor<1x3xf32> {dev.name = "probabilities"}, tensor<1xi64> {dev.name = "label"}) {
    %resize = pipe.resize %image to [6, 6] mode "bilinear" like "pillow" : (tensor<6x8xui8, #pipe.axes<"HW">>) -> tensor<6x6xui8, #pipe.axes<"HW">>
    %normalize = pipe.normalize %resize mean [0.5] std [0.25] : (tensor<6x6xui8, #pipe.axes<"HW">>) -> tensor<6x6xf32, #pipe.axes<"HW">>
    %layout = pipe.layout %normalize from "HW" to "NCHW" : (tensor<6x6xf32, #pipe.axes<"HW">>) -> tensor<1x1x6x6xf32, #pipe.axes<"NCHW">>
    %logits = pipe.model @model(%layout) : (tensor<1x1x6x6xf32, #pipe.axes<"NCHW">>) -> tensor<1x3xf32>
    %probabilities = pipe.softmax %logits axis -1 : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %label = pipe.argmax %probabilities axis -1 : (tensor<1x3xf32>) -> tensor<1xi64>
    func.return %probabilities, %label : tensor<1x3xf32>, tensor<1xi64>
  }
  func.func private @model(%x: tensor<1x1x6x6xf32> {dev.name = "x"}) -> (tensor<1x3xf32> {dev.name = "output"}) {
    %conv_weight = nn.weight @model.conv.weight hash "6a9fe95ea6d1680d" : tensor<2x1x3x3xf32>
    %conv_bias = nn.weight @model.conv.bias hash "ccd76d5e4b81be61" : tensor<2xf32>
    %fc_weight = nn.weight @model.fc.weight hash "a9a97e5b7d1c8b55" : tensor<3x8xf32>
    %fc_bias = nn.weight @model.fc.bias hash "5e53a9d1c1c0be0c" : tensor<3xf32>
    %conv = nn.conv2d %x, %conv_weight bias %conv_bias stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<1x1x6x6xf32>, tensor<2x1x3x3xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %relu = nn.relu %conv : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %pool = nn.max_pool2d %relu kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0 : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
    %flatten = nn.reshape %pool to [1, 8] : (tensor<1x2x2x2xf32>) -> tensor<1x8xf32>
    %fc = nn.linear %flatten, %fc_weight bias %fc_bias : (tensor<1x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<1x3xf32>
    func.return %fc : tensor<1x3xf32>
  }
}
