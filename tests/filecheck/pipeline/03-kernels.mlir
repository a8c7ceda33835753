// RUN: devproc-opt %s --from-stage kernels --to-stage buffers | filecheck %s

// Kernels are functions of tensors: the resize, the image's preparation, the convolution with its
// bias and relu, the pool, the product, the softmax with the argmax. `@prepare` runs once,
// at compile time. The next stage gives every value a place in the memory of
// its device; copies go through page-locked memory, on a stream of their own.

// CHECK:      func.func @main(%image: memref<6x8xi8, #dev.on<"cpu">> {{{.*}}dev.role = "input"}
// CHECK-NEXT:   %[[CPU:.*]] = plan.arena "cpu" : memref<256xi8
// CHECK-NEXT:   plan.buffer %[[CPU]] id 0 offset 192 bytes 36 live 0 to 1
// CHECK-NEXT:   plan.buffer %[[CPU]] id 1 offset 0 bytes 144 live 1 to 2
// CHECK-NEXT:   plan.buffer %[[CPU]] id 2 offset 0 bytes 32 live 8 to 9
// CHECK-NEXT:   plan.buffer %[[CPU]] id 3 offset 64 bytes 32 live 9 to 10
// CHECK-NEXT:   plan.buffer %[[CPU]] id 4 offset 0 bytes 12 live 10 to 11
// CHECK-NEXT:   %[[CUDA:.*]] = plan.arena "cuda"
// CHECK:        %[[STAGING:.*]] = plan.staging "cuda"
// CHECK-NEXT:   plan.copy {{.*}} to %[[STAGING]] {plan.step = 2 : i64}
// CHECK:        plan.copy %[[STAGING]] to {{.*}} {dev.stream = 1 : i64, plan.step = 3 : i64}
// CHECK-NEXT:   %[[EVENT:.*]] = dev.record "cuda" stream 1
// CHECK-NEXT:   dev.wait %[[EVENT]] "cuda" stream 0
// CHECK-NEXT:   plan.launch @conv2d_relu({{.*}}) -> (%relu) {plan.step = 4 : i64}
// CHECK:        dev.sync "cuda" {plan.step = 7 : i64}

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 128>, cuda = #triton.options<arch = "sm_90", interpret = 1>>, devproc.placement = [["nn.conv2d", "cuda"], ["nn.relu", "cuda"], ["nn.max_pool2d", "cuda"]], devproc.exactness = [{step = "resize", where = "unknown source", like = "pillow", mode = "bilinear", dtype = "uint8", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "PIL.Image.Image.resize"}, {step = "normalize", where = "unknown source", like = "", mode = "", dtype = "uint8", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "torchvision's ToTensor and Normalize: torch.div, torch.sub, torch.div"}, {step = "layout", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "numpy.transpose"}, {step = "softmax", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "absolute", limit = 5.000000e-07 : f64, reference = "torch.softmax"}, {step = "argmax", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "torch.argmax"}]} {
  func.func @main(%image: tensor<6x8xi8, #dev.on<"cpu">> {dev.name = "image", dev.dtype = "uint8"}) -> (tensor<1x3xf32, #dev.on<"cpu">> {dev.name = "probabilities"}, tensor<1xi64, #dev.on<"cpu">> {dev.name = "label"}) {
    %0 = nn.weight @prepare.0 hash "21054d20b71216ba" : tensor<6xi32, #dev.on<"cpu">>
    %1 = nn.weight @prepare.1 hash "90ad73a8ae9128d7" : tensor<6x3xi32, #dev.on<"cpu">>
    %conv_bias = nn.weight @model.conv.bias hash "ccd76d5e4b81be61" : tensor<2xf32, #dev.on<"cuda">>
    %fc_bias = nn.weight @model.fc.bias hash "5e53a9d1c1c0be0c" : tensor<3xf32, #dev.on<"cpu">>
    %2 = nn.weight @prepare.2 hash "73b1a5c1879920b3" : tensor<3x3x1x2xf32, #dev.on<"cuda">>
    %resize = dev.launch @resample(%0, %1, %image) : (tensor<6xi32, #dev.on<"cpu">>, tensor<6x3xi32, #dev.on<"cpu">>, tensor<6x8xi8, #dev.on<"cpu">>) -> tensor<6x6xi8, #dev.on<"cpu">>
    %normalize = dev.launch @cast_div_sub(%resize) : (tensor<6x6xi8, #dev.on<"cpu">>) -> tensor<6x6xf32, #dev.on<"cpu">>
    %3 = plan.view %normalize : tensor<6x6xf32, #dev.on<"cpu">> -> tensor<1x6x6x1xf32, #dev.on<"cpu">>
    %4 = dev.copy %3 : tensor<1x6x6x1xf32, #dev.on<"cpu">> to tensor<1x6x6x1xf32, #dev.on<"cuda">>
    %relu = dev.launch @conv2d_relu(%4, %2, %conv_bias) : (tensor<1x6x6x1xf32, #dev.on<"cuda">>, tensor<3x3x1x2xf32, #dev.on<"cuda">>, tensor<2xf32, #dev.on<"cuda">>) -> tensor<1x4x4x2xf32, #dev.on<"cuda">>
    %pool = dev.launch @max_pool2d(%relu) : (tensor<1x4x4x2xf32, #dev.on<"cuda">>) -> tensor<1x2x2x2xf32, #dev.on<"cuda">>
    %pool_1 = dev.copy %pool : tensor<1x2x2x2xf32, #dev.on<"cuda">> to tensor<1x2x2x2xf32, #dev.on<"cpu">>
    dev.sync "cuda"
    %pool_2 = dev.launch @transpose(%pool_1) : (tensor<1x2x2x2xf32, #dev.on<"cpu">>) -> tensor<1x2x2x2xf32, #dev.on<"cpu">>
    %flatten = plan.view %pool_2 : tensor<1x2x2x2xf32, #dev.on<"cpu">> -> tensor<1x8xf32, #dev.on<"cpu">>
    %fc_weight = nn.weight @prepare.3 hash "af96e8a35b17df3f" : tensor<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>
    %fc = dev.launch @linear(%flatten, %fc_weight, %fc_bias) : (tensor<1x8xf32, #dev.on<"cpu">>, tensor<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>, tensor<3xf32, #dev.on<"cpu">>) -> tensor<1x3xf32, #dev.on<"cpu">>
    %probabilities, %label = dev.launch @reduce_max_sub_exp_more(%fc) : (tensor<1x3xf32, #dev.on<"cpu">>) -> (tensor<1x3xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>)
    func.return %probabilities, %label : tensor<1x3xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>
  }
  func.func private @prepare() -> (tensor<6xi32>, tensor<6x3xi32>, tensor<3x3x1x2xf32>, tensor<1x8x4xf32>) {
    %0, %1 = nn.resample_taps 8 to 6 mode "bilinear" like "pillow" as "int32" : tensor<6xi32>, tensor<6x3xi32>
    %conv_weight = nn.weight @model.conv.weight hash "6a9fe95ea6d1680d" : tensor<2x1x3x3xf32>
    %2 = nn.transpose %conv_weight by [2, 3, 1, 0] : (tensor<2x1x3x3xf32>) -> tensor<3x3x1x2xf32>
    %3 = nn.weight @model.fc.weight hash "a9a97e5b7d1c8b55" : tensor<3x8xf32>
    %4 = nn.pack %3 as #dev.layout<[0, 1], [4, 1]> : (tensor<3x8xf32>) -> tensor<1x8x4xf32>
    func.return %0, %1, %2, %4 : tensor<6xi32>, tensor<6x3xi32>, tensor<3x3x1x2xf32>, tensor<1x8x4xf32>
  }
  func.func private @resample(%0: tensor<6xi32, #dev.on<"cpu">>, %1: tensor<6x3xi32, #dev.on<"cpu">>, %image: tensor<6x8xi8, #dev.on<"cpu">>) -> tensor<6x6xi8, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.resample"]>} {
    %2 = arith.constant 2097152 : i32
    %3 = tensor.empty() : tensor<6x6xi32, #dev.on<"cpu">>
    %4 = linalg.fill ins(%2 : i32) outs(%3 : tensor<6x6xi32, #dev.on<"cpu">>) -> tensor<6x6xi32, #dev.on<"cpu">>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%0, %1 : tensor<6xi32, #dev.on<"cpu">>, tensor<6x3xi32, #dev.on<"cpu">>) outs(%4 : tensor<6x6xi32, #dev.on<"cpu">>) {
    ^bb0(%6: i32, %7: i32, %8: i32):
      %9 = arith.index_cast %6 : i32 to index
      %10 = linalg.index 2 : index
      %11 = arith.addi %9, %10 : index
      %12 = linalg.index 0 : index
      %13 = tensor.extract %image[%12, %11] : tensor<6x8xi8, #dev.on<"cpu">>
      %14 = arith.extui %13 : i8 to i32
      %15 = arith.muli %14, %7 : i32
      %16 = arith.addi %8, %15 : i32
      linalg.yield %16 : i32
    } -> tensor<6x6xi32, #dev.on<"cpu">>
    %17 = tensor.empty() : tensor<6x6xi8, #dev.on<"cpu">>
    %resize = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<6x6xi32, #dev.on<"cpu">>) outs(%17 : tensor<6x6xi8, #dev.on<"cpu">>) {
    ^bb0(%18: i32, %19: i8):
      %20 = arith.constant 22 : i32
      %21 = arith.shrsi %18, %20 : i32
      %22 = arith.constant 0 : i32
      %23 = arith.maxsi %21, %22 : i32
      %24 = arith.constant 255 : i32
      %25 = arith.minsi %23, %24 : i32
      %26 = arith.trunci %25 : i32 to i8
      linalg.yield %26 : i8
    } -> tensor<6x6xi8, #dev.on<"cpu">>
    func.return %resize : tensor<6x6xi8, #dev.on<"cpu">>
  }
  func.func private @cast_div_sub(%resize: tensor<6x6xi8, #dev.on<"cpu">>) -> tensor<6x6xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.cast", "nn.div", "nn.sub"]>} {
    %0 = tensor.empty() : tensor<6x6xf32, #dev.on<"cpu">>
    %normalize = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%resize : tensor<6x6xi8, #dev.on<"cpu">>) outs(%0 : tensor<6x6xf32, #dev.on<"cpu">>) {
    ^bb0(%1: i8, %2: f32):
      %3 = arith.uitofp %1 : i8 to f32
      %4 = arith.constant 2.550000e+02 : f32
      %5 = arith.divf %3, %4 : f32
      %6 = arith.constant 5.000000e-01 : f32
      %7 = arith.subf %5, %6 : f32
      %8 = arith.constant 2.500000e-01 : f32
      %9 = arith.divf %7, %8 : f32
      linalg.yield %9 : f32
    } -> tensor<6x6xf32, #dev.on<"cpu">>
    func.return %normalize : tensor<6x6xf32, #dev.on<"cpu">>
  }
  func.func private @conv2d_relu(%0: tensor<1x6x6x1xf32, #dev.on<"cuda">>, %1: tensor<3x3x1x2xf32, #dev.on<"cuda">>, %conv_bias: tensor<2xf32, #dev.on<"cuda">>) -> tensor<1x4x4x2xf32, #dev.on<"cuda">> attributes {dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>} {
    %2 = arith.constant 0.000000e+00 : f32
    %3 = tensor.empty() : tensor<1x4x4x2xf32, #dev.on<"cuda">>
    %4 = linalg.fill ins(%2 : f32) outs(%3 : tensor<1x4x4x2xf32, #dev.on<"cuda">>) -> tensor<1x4x4x2xf32, #dev.on<"cuda">>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, (d1 + d4), (d2 + d5), d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%0, %1 : tensor<1x6x6x1xf32, #dev.on<"cuda">>, tensor<3x3x1x2xf32, #dev.on<"cuda">>) outs(%4 : tensor<1x4x4x2xf32, #dev.on<"cuda">>) {
    ^bb0(%6: f32, %7: f32, %8: f32):
      %9 = arith.mulf %6, %7 : f32
      %10 = arith.addf %8, %9 : f32
      linalg.yield %10 : f32
    } -> tensor<1x4x4x2xf32, #dev.on<"cuda">>
    %11 = tensor.empty() : tensor<1x4x4x2xf32, #dev.on<"cuda">>
    %relu = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5, %conv_bias : tensor<1x4x4x2xf32, #dev.on<"cuda">>, tensor<2xf32, #dev.on<"cuda">>) outs(%11 : tensor<1x4x4x2xf32, #dev.on<"cuda">>) {
    ^bb0(%12: f32, %13: f32, %14: f32):
      %15 = arith.addf %12, %13 : f32
      %16 = arith.constant 0.000000e+00 : f32
      %17 = arith.maximumf %15, %16 fastmath<nsz> : f32
      linalg.yield %17 : f32
    } -> tensor<1x4x4x2xf32, #dev.on<"cuda">>
    func.return %relu : tensor<1x4x4x2xf32, #dev.on<"cuda">>
  }
  func.func private @max_pool2d(%relu: tensor<1x4x4x2xf32, #dev.on<"cuda">>) -> tensor<1x2x2x2xf32, #dev.on<"cuda">> attributes {dev.kernel = #dev.kernel<"cuda", "window", ["nn.max_pool2d"]>} {
    %0 = tensor.empty() : tensor<2x2xf32, #dev.on<"cuda">>
    %1 = arith.constant 0xff800000 : f32
    %2 = tensor.empty() : tensor<1x2x2x2xf32, #dev.on<"cuda">>
    %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<1x2x2x2xf32, #dev.on<"cuda">>) -> tensor<1x2x2x2xf32, #dev.on<"cuda">>
    %pool = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, ((d1 * 2) + d4), ((d2 * 2) + d5), d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%relu, %0 : tensor<1x4x4x2xf32, #dev.on<"cuda">>, tensor<2x2xf32, #dev.on<"cuda">>) outs(%3 : tensor<1x2x2x2xf32, #dev.on<"cuda">>) {
    ^bb0(%4: f32, %5: f32, %6: f32):
      %7 = arith.maximumf %4, %6 fastmath<nsz> : f32
      linalg.yield %7 : f32
    } -> tensor<1x2x2x2xf32, #dev.on<"cuda">>
    func.return %pool : tensor<1x2x2x2xf32, #dev.on<"cuda">>
  }
  func.func private @transpose(%pool: tensor<1x2x2x2xf32, #dev.on<"cpu">>) -> tensor<1x2x2x2xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.transpose"]>} {
    %0 = tensor.empty() : tensor<1x2x2x2xf32, #dev.on<"cpu">>
    %pool_1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%pool : tensor<1x2x2x2xf32, #dev.on<"cpu">>) outs(%0 : tensor<1x2x2x2xf32, #dev.on<"cpu">>) {
    ^bb0(%1: f32, %2: f32):
      linalg.yield %1 : f32
    } -> tensor<1x2x2x2xf32, #dev.on<"cpu">>
    func.return %pool_1 : tensor<1x2x2x2xf32, #dev.on<"cpu">>
  }
  func.func private @linear(%flatten: tensor<1x8xf32, #dev.on<"cpu">>, %fc_weight: tensor<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>, %fc_bias: tensor<3xf32, #dev.on<"cpu">>) -> tensor<1x3xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
    %0 = arith.constant 0.000000e+00 : f32
    %1 = tensor.empty() : tensor<1x3xf32, #dev.on<"cpu">>
    %2 = linalg.fill ins(%0 : f32) outs(%1 : tensor<1x3xf32, #dev.on<"cpu">>) -> tensor<1x3xf32, #dev.on<"cpu">>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%flatten, %fc_weight : tensor<1x8xf32, #dev.on<"cpu">>, tensor<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>) outs(%2 : tensor<1x3xf32, #dev.on<"cpu">>) {
    ^bb0(%4: f32, %5: f32, %6: f32):
      %7 = arith.mulf %4, %5 : f32
      %8 = arith.addf %6, %7 : f32
      linalg.yield %8 : f32
    } -> tensor<1x3xf32, #dev.on<"cpu">>
    %9 = tensor.empty() : tensor<1x3xf32, #dev.on<"cpu">>
    %fc = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3, %fc_bias : tensor<1x3xf32, #dev.on<"cpu">>, tensor<3xf32, #dev.on<"cpu">>) outs(%9 : tensor<1x3xf32, #dev.on<"cpu">>) {
    ^bb0(%10: f32, %11: f32, %12: f32):
      %13 = arith.addf %10, %11 : f32
      linalg.yield %13 : f32
    } -> tensor<1x3xf32, #dev.on<"cpu">>
    func.return %fc : tensor<1x3xf32, #dev.on<"cpu">>
  }
  func.func private @reduce_max_sub_exp_more(%fc: tensor<1x3xf32, #dev.on<"cpu">>) -> (tensor<1x3xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_max", "nn.sub", "nn.exp", "nn.reduce_sum", "nn.div", "nn.argmax"]>} {
    %0 = arith.constant 0xff800000 : f32
    %1 = tensor.empty() : tensor<1x1xf32, #dev.on<"cpu">>
    %2 = linalg.fill ins(%0 : f32) outs(%1 : tensor<1x1xf32, #dev.on<"cpu">>) -> tensor<1x1xf32, #dev.on<"cpu">>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%fc : tensor<1x3xf32, #dev.on<"cpu">>) outs(%2 : tensor<1x1xf32, #dev.on<"cpu">>) {
    ^bb0(%4: f32, %5: f32):
      %6 = arith.maximumf %4, %5 fastmath<nsz> : f32
      linalg.yield %6 : f32
    } -> tensor<1x1xf32, #dev.on<"cpu">>
    %7 = tensor.empty() : tensor<1x3xf32, #dev.on<"cpu">>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%fc, %3 : tensor<1x3xf32, #dev.on<"cpu">>, tensor<1x1xf32, #dev.on<"cpu">>) outs(%7 : tensor<1x3xf32, #dev.on<"cpu">>) {
    ^bb0(%9: f32, %10: f32, %11: f32):
      %12 = arith.subf %9, %10 : f32
      %13 = math.exp %12 : f32
      linalg.yield %13 : f32
    } -> tensor<1x3xf32, #dev.on<"cpu">>
    %14 = arith.constant 0.000000e+00 : f32
    %15 = tensor.empty() : tensor<1x1xf32, #dev.on<"cpu">>
    %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<1x1xf32, #dev.on<"cpu">>) -> tensor<1x1xf32, #dev.on<"cpu">>
    %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<1x3xf32, #dev.on<"cpu">>) outs(%16 : tensor<1x1xf32, #dev.on<"cpu">>) {
    ^bb0(%18: f32, %19: f32):
      %20 = arith.addf %19, %18 : f32
      linalg.yield %20 : f32
    } -> tensor<1x1xf32, #dev.on<"cpu">>
    %21 = tensor.empty() : tensor<1x3xf32, #dev.on<"cpu">>
    %probabilities = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<1x3xf32, #dev.on<"cpu">>, tensor<1x1xf32, #dev.on<"cpu">>) outs(%21 : tensor<1x3xf32, #dev.on<"cpu">>) {
    ^bb0(%22: f32, %23: f32, %24: f32):
      %25 = arith.divf %22, %23 : f32
      linalg.yield %25 : f32
    } -> tensor<1x3xf32, #dev.on<"cpu">>
    %26 = arith.constant 0xff800000 : f32
    %27 = tensor.empty() : tensor<1xf32, #dev.on<"cpu">>
    %28 = linalg.fill ins(%26 : f32) outs(%27 : tensor<1xf32, #dev.on<"cpu">>) -> tensor<1xf32, #dev.on<"cpu">>
    %29 = arith.constant 0 : i64
    %30 = tensor.empty() : tensor<1xi64, #dev.on<"cpu">>
    %31 = linalg.fill ins(%29 : i64) outs(%30 : tensor<1xi64, #dev.on<"cpu">>) -> tensor<1xi64, #dev.on<"cpu">>
    %32, %label = "linalg.generic"(%probabilities, %28, %31) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 2>}> ({
    ^bb0(%33: f32, %34: f32, %35: i64):
      %36 = arith.cmpf ugt, %33, %34 : f32
      %37 = arith.cmpf ord, %34, %34 : f32
      %38 = arith.andi %36, %37 : i1
      %39 = linalg.index 1 : index
      %40 = arith.index_cast %39 : index to i64
      %41 = arith.select %38, %33, %34 : f32
      %42 = arith.select %38, %40, %35 : i64
      linalg.yield %41, %42 : f32, i64
    }) : (tensor<1x3xf32, #dev.on<"cpu">>, tensor<1xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>) -> (tensor<1xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>)
    func.return %probabilities, %label : tensor<1x3xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>
  }
}
