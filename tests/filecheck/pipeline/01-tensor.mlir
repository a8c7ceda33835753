// RUN: devproc-opt %s --from-stage tensor --to-stage placed | filecheck %s

// One graph of primitive tensor ops: the model is inlined, `normalize` became cast, div,
// sub, div; `softmax` its five steps; the layout change of one channel a reshape. The next
// stage gives every op a device, with the reason, and gathers them in islands.

// CHECK:      func.func @main(%image: tensor<3x4x1xui8, #dev.on<"cpu">>
// CHECK:        dev.region "cpu"(%image, %w1_weight, %w1_bias)
// CHECK:          nn.linear {{.*}} {dev.place = #dev.place<"cpu", "the only device">}
// CHECK:          dev.yield
// CHECK-NOT:    dev.copy

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu", vector_bits = 256, threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
  func.func @main(%image: tensor<3x4x1xui8> {dev.name = "image"}) -> (tensor<1x4xf32> {dev.name = "probabilities"}, tensor<1xi64> {dev.name = "label"}) {
    %0 = nn.cast %image to f32 : (tensor<3x4x1xui8>) -> tensor<3x4x1xf32>
    %1 = nn.constant dense<2.550000e+02> : tensor<f32> : tensor<f32>
    %2 = nn.div %0, %1 : (tensor<3x4x1xf32>, tensor<f32>) -> tensor<3x4x1xf32>
    %3 = nn.constant dense<5.000000e-01> : tensor<1xf32> : tensor<1xf32>
    %4 = nn.constant dense<2.500000e-01> : tensor<1xf32> : tensor<1xf32>
    %5 = nn.sub %2, %3 : (tensor<3x4x1xf32>, tensor<1xf32>) -> tensor<3x4x1xf32>
    %normalize = nn.div %5, %4 : (tensor<3x4x1xf32>, tensor<1xf32>) -> tensor<3x4x1xf32>
    %flatten = nn.reshape %normalize to [1, 12] : (tensor<3x4x1xf32>) -> tensor<1x12xf32>
    %w1_weight = nn.weight @model.1.weight hash "6a9fe95ea6d1680d" : tensor<4x12xf32>
    %w1_bias = nn.weight @model.1.bias hash "ccd76d5e4b81be61" : tensor<4xf32>
    %linear = nn.linear %flatten, %w1_weight bias %w1_bias : (tensor<1x12xf32>, tensor<4x12xf32>, tensor<4xf32>) -> tensor<1x4xf32>
    %relu = nn.relu %linear : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %6 = nn.reduce_max %relu axes [1] keep 1 : (tensor<1x4xf32>) -> tensor<1x1xf32>
    %7 = nn.sub %relu, %6 : (tensor<1x4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
    %8 = nn.exp %7 : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %9 = nn.reduce_sum %8 axes [1] keep 1 : (tensor<1x4xf32>) -> tensor<1x1xf32>
    %probabilities = nn.div %8, %9 : (tensor<1x4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
    %label = nn.argmax %relu axis -1 keep 0 : (tensor<1x4xf32>) -> tensor<1xi64>
    func.return %probabilities, %label : tensor<1x4xf32>, tensor<1xi64>
  }
}
