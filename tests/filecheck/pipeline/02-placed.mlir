// RUN: devproc-opt %s --from-stage placed --to-stage kernels | filecheck %s

// Three islands: CPU, GPU, CPU. The next stage turns ops into structured loops, groups
// them into kernels named after their ops, and packs the weight of the matrix product as
// the CPU's kernel wants to read it.

// CHECK:      func.func @main
// CHECK:        dev.launch @resample(
// CHECK-NEXT:   dev.launch @cast_div_sub(
// CHECK:        dev.copy
// CHECK-NEXT:   dev.launch @conv2d_relu(
// CHECK-NEXT:   dev.launch @max_pool2d(
// CHECK-NEXT:   dev.copy
// CHECK-NEXT:   dev.sync "cuda"
// CHECK-NEXT:   dev.launch @transpose(
// CHECK:        nn.weight @prepare.3 hash "{{[0-9a-f]+}}" : tensor<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>
// CHECK-NEXT:   dev.launch @linear(
// CHECK-NEXT:   dev.launch @reduce_max_sub_exp_more(
// CHECK:      func.func private @prepare()
// CHECK:        nn.pack
// CHECK:      func.func private @conv2d_relu({{.*}} attributes {dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>}
// CHECK:        linalg.generic

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 128>, cuda = #triton.options<arch = "sm_90", interpret = 1>>, devproc.placement = [["nn.conv2d", "cuda"], ["nn.relu", "cuda"], ["nn.max_pool2d", "cuda"]], devproc.exactness = [{step = "resize", where = "unknown source", like = "pillow", mode = "bilinear", dtype = "uint8", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "PIL.Image.Image.resize"}, {step = "normalize", where = "unknown source", like = "", mode = "", dtype = "uint8", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "torchvision's ToTensor and Normalize: torch.div, torch.sub, torch.div"}, {step = "layout", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "numpy.transpose"}, {step = "softmax", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "absolute", limit = 5.000000e-07 : f64, reference = "torch.softmax"}, {step = "argmax", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "torch.argmax"}]} {
  func.func @main(%image: tensor<6x8xui8, #dev.on<"cpu">> {dev.name = "image"}) -> (tensor<1x3xf32, #dev.on<"cpu">> {dev.name = "probabilities"}, tensor<1xi64, #dev.on<"cpu">> {dev.name = "label"}) {
    %0 = nn.weight @prepare.0 hash "21054d20b71216ba" : tensor<6xi32, #dev.on<"cpu">>
    %1 = nn.weight @prepare.1 hash "90ad73a8ae9128d7" : tensor<6x3xi32, #dev.on<"cpu">>
    %conv_bias = nn.weight @model.conv.bias hash "ccd76d5e4b81be61" : tensor<2xf32, #dev.on<"cuda">>
    %fc_weight = nn.weight @model.fc.weight hash "a9a97e5b7d1c8b55" : tensor<3x8xf32, #dev.on<"cpu">>
    %fc_bias = nn.weight @model.fc.bias hash "5e53a9d1c1c0be0c" : tensor<3xf32, #dev.on<"cpu">>
    %2 = nn.weight @prepare.2 hash "73b1a5c1879920b3" : tensor<3x3x1x2xf32, #dev.on<"cuda">>
    %3 = dev.region "cpu"(%image, %0, %1) : (tensor<6x8xui8, #dev.on<"cpu">>, tensor<6xi32, #dev.on<"cpu">>, tensor<6x3xi32, #dev.on<"cpu">>) -> tensor<1x6x6x1xf32, #dev.on<"cpu">> {
    ^bb0(%image_1: tensor<6x8xui8, #dev.on<"cpu">>, %4: tensor<6xi32, #dev.on<"cpu">>, %5: tensor<6x3xi32, #dev.on<"cpu">>):
      %6 = nn.constant dense<2.550000e+02> : tensor<f32> : tensor<f32, #dev.on<"cpu">>
      %7 = nn.constant dense<5.000000e-01> : tensor<f32> : tensor<f32, #dev.on<"cpu">>
      %8 = nn.constant dense<2.500000e-01> : tensor<f32> : tensor<f32, #dev.on<"cpu">>
      %resize = nn.resample %image_1, %4, %5 axis 1 {dev.place = #dev.place<"cpu", "216 FLOP, 180 B: 0.232 us; rejected cuda: 8 us and +84 B of copies (+20 us), 27.8 us slower">} : (tensor<6x8xui8, #dev.on<"cpu">>, tensor<6xi32, #dev.on<"cpu">>, tensor<6x3xi32, #dev.on<"cpu">>) -> tensor<6x6xui8, #dev.on<"cpu">>
      %9 = nn.cast %resize to f32 {dev.place = #dev.place<"cpu", "36 FLOP, 180 B: 0.04 us; rejected cuda: 2 us and +180 B of copies (+20 us), 22 us slower">} : (tensor<6x6xui8, #dev.on<"cpu">>) -> tensor<6x6xf32, #dev.on<"cpu">>
      %10 = nn.div %9, %6 {dev.place = #dev.place<"cpu", "144 FLOP, 292 B: 0.049 us; rejected cuda: 2 us and +288 B of copies (+20 us), 22 us slower">} : (tensor<6x6xf32, #dev.on<"cpu">>, tensor<f32, #dev.on<"cpu">>) -> tensor<6x6xf32, #dev.on<"cpu">>
      %11 = nn.sub %10, %7 {dev.place = #dev.place<"cpu", "36 FLOP, 292 B: 0.049 us; rejected cuda: 2 us and +288 B of copies (+20 us), 22 us slower">} : (tensor<6x6xf32, #dev.on<"cpu">>, tensor<f32, #dev.on<"cpu">>) -> tensor<6x6xf32, #dev.on<"cpu">>
      %normalize = nn.div %11, %8 {dev.place = #dev.place<"cpu", "144 FLOP, 292 B: 0.049 us; rejected cuda: 2 us and +288 B of copies (+20 us), 22 us slower">} : (tensor<6x6xf32, #dev.on<"cpu">>, tensor<f32, #dev.on<"cpu">>) -> tensor<6x6xf32, #dev.on<"cpu">>
      %12 = nn.reshape %normalize to [1, 6, 6, 1] {dev.place = #dev.place<"cpu", "0 FLOP, 0 B: 0 us; rejected cuda: 0 us and +0 B of copies (+0 us), 0 us slower">} : (tensor<6x6xf32, #dev.on<"cpu">>) -> tensor<1x6x6x1xf32, #dev.on<"cpu">>
      dev.yield %12 : tensor<1x6x6x1xf32, #dev.on<"cpu">>
    }
    %4 = dev.copy %3 : tensor<1x6x6x1xf32, #dev.on<"cpu">> to tensor<1x6x6x1xf32, #dev.on<"cuda">>
    %pool = dev.region "cuda"(%4, %2, %conv_bias) : (tensor<1x6x6x1xf32, #dev.on<"cuda">>, tensor<3x3x1x2xf32, #dev.on<"cuda">>, tensor<2xf32, #dev.on<"cuda">>) -> tensor<1x2x2x2xf32, #dev.on<"cuda">> {
    ^bb0(%5: tensor<1x6x6x1xf32, #dev.on<"cuda">>, %6: tensor<3x3x1x2xf32, #dev.on<"cuda">>, %conv_bias_1: tensor<2xf32, #dev.on<"cuda">>):
      %conv = nn.conv2d %5, %6 bias %conv_bias_1 stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc" {dev.place = #dev.place<"cuda", "requested by the user with 'nn.conv2d'; 384 FLOP, 352 B: 8 us; rejected cpu: 0.147 us and -16 B of copies (-0.001 us), faster, not requested">} : (tensor<1x6x6x1xf32, #dev.on<"cuda">>, tensor<3x3x1x2xf32, #dev.on<"cuda">>, tensor<2xf32, #dev.on<"cuda">>) -> tensor<1x4x4x2xf32, #dev.on<"cuda">>
      %relu = nn.relu %conv {dev.place = #dev.place<"cuda", "requested by the user with 'nn.relu'; 32 FLOP, 256 B: 2 us; rejected cpu: 0.046 us and +256 B of copies (+20 us), 18.1 us slower">} : (tensor<1x4x4x2xf32, #dev.on<"cuda">>) -> tensor<1x4x4x2xf32, #dev.on<"cuda">>
      %pool_1 = nn.max_pool2d %relu kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0 layout "nhwc" {dev.place = #dev.place<"cuda", "requested by the user with 'nn.max_pool2d'; 32 FLOP, 160 B: 8 us; rejected cpu: 0.113 us and +96 B of copies (+0.004 us), faster, not requested">} : (tensor<1x4x4x2xf32, #dev.on<"cuda">>) -> tensor<1x2x2x2xf32, #dev.on<"cuda">>
      dev.yield %pool_1 : tensor<1x2x2x2xf32, #dev.on<"cuda">>
    }
    %pool_1 = dev.copy %pool : tensor<1x2x2x2xf32, #dev.on<"cuda">> to tensor<1x2x2x2xf32, #dev.on<"cpu">>
    dev.sync "cuda"
    %probabilities, %label = dev.region "cpu"(%pool_1, %fc_weight, %fc_bias) : (tensor<1x2x2x2xf32, #dev.on<"cpu">>, tensor<3x8xf32, #dev.on<"cpu">>, tensor<3xf32, #dev.on<"cpu">>) -> (tensor<1x3xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>) {
    ^bb0(%pool_2: tensor<1x2x2x2xf32, #dev.on<"cpu">>, %fc_weight_1: tensor<3x8xf32, #dev.on<"cpu">>, %fc_bias_1: tensor<3xf32, #dev.on<"cpu">>):
      %pool_3 = nn.transpose %pool_2 by [0, 3, 1, 2] {dev.place = #dev.place<"cpu", "8 FLOP, 64 B: 0.03 us; rejected cuda: 2 us and +0 B of copies (+0 us), 1.97 us slower">} : (tensor<1x2x2x2xf32, #dev.on<"cpu">>) -> tensor<1x2x2x2xf32, #dev.on<"cpu">>
      %flatten = nn.reshape %pool_3 to [1, 8] {dev.place = #dev.place<"cpu", "0 FLOP, 0 B: 0 us; rejected cuda: 0 us and +64 B of copies (+20 us), 20 us slower">} : (tensor<1x2x2x2xf32, #dev.on<"cpu">>) -> tensor<1x8xf32, #dev.on<"cpu">>
      %fc = nn.linear %flatten, %fc_weight_1 bias %fc_bias_1 {dev.place = #dev.place<"cpu", "48 FLOP, 152 B: 0.113 us; rejected cuda: 8 us and +44 B of copies (+20 us), 27.9 us slower">} : (tensor<1x8xf32, #dev.on<"cpu">>, tensor<3x8xf32, #dev.on<"cpu">>, tensor<3xf32, #dev.on<"cpu">>) -> tensor<1x3xf32, #dev.on<"cpu">>
      %5 = nn.reduce_max %fc axes [1] keep 1 {dev.place = #dev.place<"cpu", "3 FLOP, 16 B: 0.101 us; rejected cuda: 8 us and +16 B of copies (+20 us), 27.9 us slower">} : (tensor<1x3xf32, #dev.on<"cpu">>) -> tensor<1x1xf32, #dev.on<"cpu">>
      %6 = nn.sub %fc, %5 {dev.place = #dev.place<"cpu", "3 FLOP, 28 B: 0.027 us; rejected cuda: 2 us and +28 B of copies (+30 us), 32 us slower">} : (tensor<1x3xf32, #dev.on<"cpu">>, tensor<1x1xf32, #dev.on<"cpu">>) -> tensor<1x3xf32, #dev.on<"cpu">>
      %7 = nn.exp %6 {dev.place = #dev.place<"cpu", "36 FLOP, 24 B: 0.029 us; rejected cuda: 2 us and +24 B of copies (+20 us), 22 us slower">} : (tensor<1x3xf32, #dev.on<"cpu">>) -> tensor<1x3xf32, #dev.on<"cpu">>
      %8 = nn.reduce_sum %7 axes [1] keep 1 {dev.place = #dev.place<"cpu", "3 FLOP, 16 B: 0.101 us; rejected cuda: 8 us and +16 B of copies (+20 us), 27.9 us slower">} : (tensor<1x3xf32, #dev.on<"cpu">>) -> tensor<1x1xf32, #dev.on<"cpu">>
      %probabilities_1 = nn.div %7, %8 {dev.place = #dev.place<"cpu", "12 FLOP, 28 B: 0.027 us; rejected cuda: 2 us and +28 B of copies (+30 us), 32 us slower">} : (tensor<1x3xf32, #dev.on<"cpu">>, tensor<1x1xf32, #dev.on<"cpu">>) -> tensor<1x3xf32, #dev.on<"cpu">>
      %label_1 = nn.argmax %probabilities_1 axis -1 keep 0 {dev.place = #dev.place<"cpu", "3 FLOP, 20 B: 0.102 us; rejected cuda: 8 us and +20 B of copies (+20 us), 27.9 us slower">} : (tensor<1x3xf32, #dev.on<"cpu">>) -> tensor<1xi64, #dev.on<"cpu">>
      dev.yield %probabilities_1, %label_1 : tensor<1x3xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>
    }
    func.return %probabilities, %label : tensor<1x3xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>
  }
  func.func private @prepare() -> (tensor<6xi32>, tensor<6x3xi32>, tensor<3x3x1x2xf32>) {
    %0, %1 = nn.resample_taps 8 to 6 mode "bilinear" like "pillow" as "int32" : tensor<6xi32>, tensor<6x3xi32>
    %conv_weight = nn.weight @model.conv.weight hash "6a9fe95ea6d1680d" : tensor<2x1x3x3xf32>
    %2 = nn.transpose %conv_weight by [2, 3, 1, 0] : (tensor<2x1x3x3xf32>) -> tensor<3x3x1x2xf32>
    func.return %0, %1, %2 : tensor<6xi32>, tensor<6x3xi32>, tensor<3x3x1x2xf32>
  }
}
