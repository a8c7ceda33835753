// RUN: devproc-opt %s --from-stage tensor --to-stage placed | filecheck %s

// One graph of primitive tensor ops. The height needs no resize, so one pass along the
// width is left of it; `normalize` became cast, div, sub, div; `softmax` its five steps;
// images are stored with their channels last.
// The next stage gives every op a device, with the reason, gathers them in islands, and
// inserts the copies between these and the sync before the host reads.

// CHECK:      func.func @main(%image: tensor<6x8xui8, #dev.on<"cpu">>
// CHECK:        dev.region "cpu"(%image
// CHECK:          nn.resample {{.*}} #dev.place<"cpu", "{{.*}}; rejected cuda: {{.*}} slower">
// CHECK:        dev.copy {{.*}} #dev.on<"cpu">> to tensor<1x6x6x1xf32, #dev.on<"cuda">>
// CHECK-NEXT:   dev.region "cuda"
// CHECK:          nn.conv2d {{.*}} #dev.place<"cuda", "requested by the user with 'nn.conv2d'; {{.*}}">
// CHECK:        dev.copy {{.*}} #dev.on<"cuda">> to tensor<1x2x2x2xf32, #dev.on<"cpu">>
// CHECK-NEXT:   dev.sync "cuda"
// CHECK-NEXT:   dev.region "cpu"(
// CHECK:          nn.transpose
// CHECK:          nn.linear
// CHECK-NOT:    dev.copy

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 128>, cuda = #triton.options<arch = "sm_90", interpret = 1>>, devproc.placement = [["nn.conv2d", "cuda"], ["nn.relu", "cuda"], ["nn.max_pool2d", "cuda"]], devproc.exactness = [{step = "resize", where = "unknown source", like = "pillow", mode = "bilinear", dtype = "uint8", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "PIL.Image.Image.resize"}, {step = "normalize", where = "unknown source", like = "", mode = "", dtype = "uint8", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "torchvision's ToTensor and Normalize: torch.div, torch.sub, torch.div"}, {step = "layout", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "numpy.transpose"}, {step = "softmax", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "absolute", limit = 5.000000e-07 : f64, reference = "torch.softmax"}, {step = "argmax", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "torch.argmax"}]} {
  func.func @main(%image: tensor<6x8xui8> {dev.name = "image"}) -> (tensor<1x3xf32> {dev.name = "probabilities"}, tensor<1xi64> {dev.name = "label"}) {
    %0 = nn.weight @prepare.0 hash "21054d20b71216ba" : tensor<6xi32>
    %1 = nn.weight @prepare.1 hash "90ad73a8ae9128d7" : tensor<6x3xi32>
    %resize = nn.resample %image, %0, %1 axis 1 : (tensor<6x8xui8>, tensor<6xi32>, tensor<6x3xi32>) -> tensor<6x6xui8>
    %2 = nn.cast %resize to f32 : (tensor<6x6xui8>) -> tensor<6x6xf32>
    %3 = nn.constant dense<2.550000e+02> : tensor<f32> : tensor<f32>
    %4 = nn.div %2, %3 : (tensor<6x6xf32>, tensor<f32>) -> tensor<6x6xf32>
    %5 = nn.constant dense<5.000000e-01> : tensor<f32> : tensor<f32>
    %6 = nn.constant dense<2.500000e-01> : tensor<f32> : tensor<f32>
    %7 = nn.sub %4, %5 : (tensor<6x6xf32>, tensor<f32>) -> tensor<6x6xf32>
    %normalize = nn.div %7, %6 : (tensor<6x6xf32>, tensor<f32>) -> tensor<6x6xf32>
    %conv_bias = nn.weight @model.conv.bias hash "ccd76d5e4b81be61" : tensor<2xf32>
    %fc_weight = nn.weight @model.fc.weight hash "a9a97e5b7d1c8b55" : tensor<3x8xf32>
    %fc_bias = nn.weight @model.fc.bias hash "5e53a9d1c1c0be0c" : tensor<3xf32>
    %8 = nn.reshape %normalize to [1, 6, 6, 1] : (tensor<6x6xf32>) -> tensor<1x6x6x1xf32>
    %9 = nn.weight @prepare.2 hash "73b1a5c1879920b3" : tensor<3x3x1x2xf32>
    %conv = nn.conv2d %8, %9 bias %conv_bias stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc" : (tensor<1x6x6x1xf32>, tensor<3x3x1x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
    %relu = nn.relu %conv : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
    %pool = nn.max_pool2d %relu kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0 layout "nhwc" : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
    %pool_1 = nn.transpose %pool by [0, 3, 1, 2] : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
    %flatten = nn.reshape %pool_1 to [1, 8] : (tensor<1x2x2x2xf32>) -> tensor<1x8xf32>
    %fc = nn.linear %flatten, %fc_weight bias %fc_bias : (tensor<1x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<1x3xf32>
    %10 = nn.reduce_max %fc axes [1] keep 1 : (tensor<1x3xf32>) -> tensor<1x1xf32>
    %11 = nn.sub %fc, %10 : (tensor<1x3xf32>, tensor<1x1xf32>) -> tensor<1x3xf32>
    %12 = nn.exp %11 : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %13 = nn.reduce_sum %12 axes [1] keep 1 : (tensor<1x3xf32>) -> tensor<1x1xf32>
    %probabilities = nn.div %12, %13 : (tensor<1x3xf32>, tensor<1x1xf32>) -> tensor<1x3xf32>
    %label = nn.argmax %probabilities axis -1 keep 0 : (tensor<1x3xf32>) -> tensor<1xi64>
    func.return %probabilities, %label : tensor<1x3xf32>, tensor<1xi64>
  }
  func.func private @prepare() -> (tensor<6xi32>, tensor<6x3xi32>, tensor<3x3x1x2xf32>) {
    %0, %1 = nn.resample_taps 8 to 6 mode "bilinear" like "pillow" as "int32" : tensor<6xi32>, tensor<6x3xi32>
    %conv_weight = nn.weight @model.conv.weight hash "6a9fe95ea6d1680d" : tensor<2x1x3x3xf32>
    %2 = nn.transpose %conv_weight by [2, 3, 1, 0] : (tensor<2x1x3x3xf32>) -> tensor<3x3x1x2xf32>
    func.return %0, %1, %2 : tensor<6xi32>, tensor<6x3xi32>, tensor<3x3x1x2xf32>
  }
}
