// RUN: devproc-opt %s --from-stage program --to-stage tensor | filecheck %s

// The story of one program. This is what the user wrote: an image of 3 x 4 gray pixels,
// normalised, laid out for the model, classified. The next stage makes it one graph of
// tensor ops: the model is inlined, the softmax and normalize become primitives.

// CHECK:     func.func @main(%image: tensor<3x4x1xui8> {dev.name = "image"})
// CHECK-NOT: pipe.
// CHECK:     nn.linear
// CHECK:     nn.argmax

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu", vector_bits = 256, threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
  func.func @main(%image: tensor<3x4x1xui8, #pipe.axes<"HWC">> {dev.name = "image"}) -> (tensor<1x4xf32> {dev.name = "probabilities"}, tensor<1xi64> {dev.name = "label"}) {
    %normalize = pipe.normalize %image mean [0.5] std [0.25] : (tensor<3x4x1xui8, #pipe.axes<"HWC">>) -> tensor<3x4x1xf32, #pipe.axes<"HWC">>
    %layout = pipe.layout %normalize from "HWC" to "NCHW" : (tensor<3x4x1xf32, #pipe.axes<"HWC">>) -> tensor<1x1x3x4xf32, #pipe.axes<"NCHW">>
    %logits = pipe.model @model(%layout) : (tensor<1x1x3x4xf32, #pipe.axes<"NCHW">>) -> tensor<1x4xf32>
    %probabilities = pipe.softmax %logits axis -1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %label = pipe.argmax %logits axis -1 : (tensor<1x4xf32>) -> tensor<1xi64>
    func.return %probabilities, %label : tensor<1x4xf32>, tensor<1xi64>
  }
  func.func private @model(%input: tensor<1x1x3x4xf32> {dev.name = "input"}) -> (tensor<1x4xf32> {dev.name = "output"}) {
    %flatten = nn.reshape %input to [1, 12] : (tensor<1x1x3x4xf32>) -> tensor<1x12xf32>
    %w1_weight = nn.weight @model.1.weight hash "6a9fe95ea6d1680d" : tensor<4x12xf32>
    %w1_bias = nn.weight @model.1.bias hash "ccd76d5e4b81be61" : tensor<4xf32>
    %linear = nn.linear %flatten, %w1_weight bias %w1_bias : (tensor<1x12xf32>, tensor<4x12xf32>, tensor<4xf32>) -> tensor<1x4xf32>
    %relu = nn.relu %linear : (tensor<1x4xf32>) -> tensor<1x4xf32>
    func.return %relu : tensor<1x4xf32>
  }
}
