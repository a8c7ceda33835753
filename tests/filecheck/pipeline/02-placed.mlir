// RUN: devproc-opt %s --from-stage placed --to-stage kernels | filecheck %s

// Every value lies on a device; one island holds the whole program, so nothing is copied.
// The next stage turns ops into structured loops, groups them into kernels, and packs the
// weight of the matrix product as the kernel wants to read it.

// CHECK:      func.func @main
// CHECK:        dev.launch @cast_div_sub(%image)
// CHECK-NEXT:   plan.view
// CHECK-NEXT:   nn.weight @prepare.0 hash "{{[0-9a-f]+}}" : tensor<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>
// CHECK-NEXT:   dev.launch @linear_relu
// CHECK:      func.func private @linear_relu({{.*}} attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear", "nn.relu"]>}
// CHECK:        linalg.generic
// CHECK:      func.func private @prepare()
// CHECK:        nn.pack

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu", vector_bits = 256, threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
  func.func @main(%image: tensor<3x4x1xui8, #dev.on<"cpu">> {dev.name = "image"}) -> (tensor<1x4xf32, #dev.on<"cpu">> {dev.name = "probabilities"}, tensor<1xi64, #dev.on<"cpu">> {dev.name = "label"}) {
    %w1_weight = nn.weight @model.1.weight hash "6a9fe95ea6d1680d" : tensor<4x12xf32, #dev.on<"cpu">>
    %w1_bias = nn.weight @model.1.bias hash "ccd76d5e4b81be61" : tensor<4xf32, #dev.on<"cpu">>
    %probabilities, %label = dev.region "cpu"(%image, %w1_weight, %w1_bias) : (tensor<3x4x1xui8, #dev.on<"cpu">>, tensor<4x12xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>) -> (tensor<1x4xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>) {
    ^bb0(%image_1: tensor<3x4x1xui8, #dev.on<"cpu">>, %w1_weight_1: tensor<4x12xf32, #dev.on<"cpu">>, %w1_bias_1: tensor<4xf32, #dev.on<"cpu">>):
      %0 = nn.constant dense<2.550000e+02> : tensor<f32> : tensor<f32, #dev.on<"cpu">>
      %1 = nn.constant dense<5.000000e-01> : tensor<1xf32> : tensor<1xf32, #dev.on<"cpu">>
      %2 = nn.constant dense<2.500000e-01> : tensor<1xf32> : tensor<1xf32, #dev.on<"cpu">>
      %3 = nn.cast %image_1 to f32 {dev.place = #dev.place<"cpu", "the only device">} : (tensor<3x4x1xui8, #dev.on<"cpu">>) -> tensor<3x4x1xf32, #dev.on<"cpu">>
      %4 = nn.div %3, %0 {dev.place = #dev.place<"cpu", "the only device">} : (tensor<3x4x1xf32, #dev.on<"cpu">>, tensor<f32, #dev.on<"cpu">>) -> tensor<3x4x1xf32, #dev.on<"cpu">>
      %5 = nn.sub %4, %1 {dev.place = #dev.place<"cpu", "the only device">} : (tensor<3x4x1xf32, #dev.on<"cpu">>, tensor<1xf32, #dev.on<"cpu">>) -> tensor<3x4x1xf32, #dev.on<"cpu">>
      %normalize = nn.div %5, %2 {dev.place = #dev.place<"cpu", "the only device">} : (tensor<3x4x1xf32, #dev.on<"cpu">>, tensor<1xf32, #dev.on<"cpu">>) -> tensor<3x4x1xf32, #dev.on<"cpu">>
      %flatten = nn.reshape %normalize to [1, 12] {dev.place = #dev.place<"cpu", "the only device">} : (tensor<3x4x1xf32, #dev.on<"cpu">>) -> tensor<1x12xf32, #dev.on<"cpu">>
      %linear = nn.linear %flatten, %w1_weight_1 bias %w1_bias_1 {dev.place = #dev.place<"cpu", "the only device">} : (tensor<1x12xf32, #dev.on<"cpu">>, tensor<4x12xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>) -> tensor<1x4xf32, #dev.on<"cpu">>
      %relu = nn.relu %linear {dev.place = #dev.place<"cpu", "the only device">} : (tensor<1x4xf32, #dev.on<"cpu">>) -> tensor<1x4xf32, #dev.on<"cpu">>
      %6 = nn.reduce_max %relu axes [1] keep 1 {dev.place = #dev.place<"cpu", "the only device">} : (tensor<1x4xf32, #dev.on<"cpu">>) -> tensor<1x1xf32, #dev.on<"cpu">>
      %7 = nn.sub %relu, %6 {dev.place = #dev.place<"cpu", "the only device">} : (tensor<1x4xf32, #dev.on<"cpu">>, tensor<1x1xf32, #dev.on<"cpu">>) -> tensor<1x4xf32, #dev.on<"cpu">>
      %8 = nn.exp %7 {dev.place = #dev.place<"cpu", "the only device">} : (tensor<1x4xf32, #dev.on<"cpu">>) -> tensor<1x4xf32, #dev.on<"cpu">>
      %9 = nn.reduce_sum %8 axes [1] keep 1 {dev.place = #dev.place<"cpu", "the only device">} : (tensor<1x4xf32, #dev.on<"cpu">>) -> tensor<1x1xf32, #dev.on<"cpu">>
      %probabilities_1 = nn.div %8, %9 {dev.place = #dev.place<"cpu", "the only device">} : (tensor<1x4xf32, #dev.on<"cpu">>, tensor<1x1xf32, #dev.on<"cpu">>) -> tensor<1x4xf32, #dev.on<"cpu">>
      %label_1 = nn.argmax %relu axis -1 keep 0 {dev.place = #dev.place<"cpu", "the only device">} : (tensor<1x4xf32, #dev.on<"cpu">>) -> tensor<1xi64, #dev.on<"cpu">>
      dev.yield %probabilities_1, %label_1 : tensor<1x4xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>
    }
    func.return %probabilities, %label : tensor<1x4xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>
  }
}
