// RUN: devproc-opt %s --from-stage kernels --to-stage buffers | filecheck %s

// Kernels are functions of tensors: the image's preparation, the product with its bias and
// relu, the softmax, the argmax. `@prepare` runs once, at compile time. The next stage
// gives every value a place in memory.

// CHECK:      func.func @main(%image: memref<3x4x1xi8, #dev.on<"cpu">> {{{.*}}dev.role = "input"}
// CHECK-NEXT:   plan.arena "cpu" : memref<128xi8
// CHECK-NEXT:   plan.buffer {{.*}} id 0 offset 0 bytes 48 live 0 to 1
// CHECK-NEXT:   plan.buffer {{.*}} id 1 offset 64 bytes 16 live 1 to 3
// CHECK:        plan.launch @cast_div_sub(%image) -> (%normalize) {plan.step = 0 : i64}
// CHECK:        plan.launch @argmax(%relu) -> (%label) {plan.step = 3 : i64}

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu", vector_bits = 256, threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
  func.func @main(%image: tensor<3x4x1xi8, #dev.on<"cpu">> {dev.name = "image", dev.dtype = "uint8"}) -> (tensor<1x4xf32, #dev.on<"cpu">> {dev.name = "probabilities"}, tensor<1xi64, #dev.on<"cpu">> {dev.name = "label"}) {
    %w1_bias = nn.weight @model.1.bias hash "ccd76d5e4b81be61" : tensor<4xf32, #dev.on<"cpu">>
    %normalize = dev.launch @cast_div_sub(%image) : (tensor<3x4x1xi8, #dev.on<"cpu">>) -> tensor<3x4x1xf32, #dev.on<"cpu">>
    %flatten = plan.view %normalize : tensor<3x4x1xf32, #dev.on<"cpu">> -> tensor<1x12xf32, #dev.on<"cpu">>
    %w1_weight = nn.weight @prepare.0 hash "442ecd2ab4dfaf97" : tensor<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>
    %relu = dev.launch @linear_relu(%flatten, %w1_weight, %w1_bias) : (tensor<1x12xf32, #dev.on<"cpu">>, tensor<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>, tensor<4xf32, #dev.on<"cpu">>) -> tensor<1x4xf32, #dev.on<"cpu">>
    %probabilities = dev.launch @reduce_max_sub_exp_more(%relu) : (tensor<1x4xf32, #dev.on<"cpu">>) -> tensor<1x4xf32, #dev.on<"cpu">>
    %label = dev.launch @argmax(%relu) : (tensor<1x4xf32, #dev.on<"cpu">>) -> tensor<1xi64, #dev.on<"cpu">>
    func.return %probabilities, %label : tensor<1x4xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>
  }
  func.func private @cast_div_sub(%image: tensor<3x4x1xi8, #dev.on<"cpu">>) -> tensor<3x4x1xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.cast", "nn.div", "nn.sub"]>} {
    %0 = tensor.empty() : tensor<3x4x1xf32, #dev.on<"cpu">>
    %normalize = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%image : tensor<3x4x1xi8, #dev.on<"cpu">>) outs(%0 : tensor<3x4x1xf32, #dev.on<"cpu">>) {
    ^bb0(%1: i8, %2: f32):
      %3 = arith.uitofp %1 : i8 to f32
      %4 = arith.constant 2.550000e+02 : f32
      %5 = arith.divf %3, %4 : f32
      %6 = arith.constant 5.000000e-01 : f32
      %7 = arith.subf %5, %6 : f32
      %8 = arith.constant 2.500000e-01 : f32
      %9 = arith.divf %7, %8 : f32
      linalg.yield %9 : f32
    } -> tensor<3x4x1xf32, #dev.on<"cpu">>
    func.return %normalize : tensor<3x4x1xf32, #dev.on<"cpu">>
  }
  func.func private @linear_relu(%flatten: tensor<1x12xf32, #dev.on<"cpu">>, %w1_weight: tensor<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>, %w1_bias: tensor<4xf32, #dev.on<"cpu">>) -> tensor<1x4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear", "nn.relu"]>} {
    %0 = arith.constant 0.000000e+00 : f32
    %1 = tensor.empty() : tensor<1x4xf32, #dev.on<"cpu">>
    %2 = linalg.fill ins(%0 : f32) outs(%1 : tensor<1x4xf32, #dev.on<"cpu">>) -> tensor<1x4xf32, #dev.on<"cpu">>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%flatten, %w1_weight : tensor<1x12xf32, #dev.on<"cpu">>, tensor<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>) outs(%2 : tensor<1x4xf32, #dev.on<"cpu">>) {
    ^bb0(%4: f32, %5: f32, %6: f32):
      %7 = arith.mulf %4, %5 : f32
      %8 = arith.addf %6, %7 : f32
      linalg.yield %8 : f32
    } -> tensor<1x4xf32, #dev.on<"cpu">>
    %9 = tensor.empty() : tensor<1x4xf32, #dev.on<"cpu">>
    %relu = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3, %w1_bias : tensor<1x4xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>) outs(%9 : tensor<1x4xf32, #dev.on<"cpu">>) {
    ^bb0(%10: f32, %11: f32, %12: f32):
      %13 = arith.addf %10, %11 : f32
      %14 = arith.constant 0.000000e+00 : f32
      %15 = arith.maximumf %13, %14 : f32
      linalg.yield %15 : f32
    } -> tensor<1x4xf32, #dev.on<"cpu">>
    func.return %relu : tensor<1x4xf32, #dev.on<"cpu">>
  }
  func.func private @reduce_max_sub_exp_more(%relu: tensor<1x4xf32, #dev.on<"cpu">>) -> tensor<1x4xf32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_max", "nn.sub", "nn.exp", "nn.reduce_sum", "nn.div"]>} {
    %0 = arith.constant 0xff800000 : f32
    %1 = tensor.empty() : tensor<1x1xf32, #dev.on<"cpu">>
    %2 = linalg.fill ins(%0 : f32) outs(%1 : tensor<1x1xf32, #dev.on<"cpu">>) -> tensor<1x1xf32, #dev.on<"cpu">>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%relu : tensor<1x4xf32, #dev.on<"cpu">>) outs(%2 : tensor<1x1xf32, #dev.on<"cpu">>) {
    ^bb0(%4: f32, %5: f32):
      %6 = arith.maximumf %4, %5 : f32
      linalg.yield %6 : f32
    } -> tensor<1x1xf32, #dev.on<"cpu">>
    %7 = tensor.empty() : tensor<1x4xf32, #dev.on<"cpu">>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%relu, %3 : tensor<1x4xf32, #dev.on<"cpu">>, tensor<1x1xf32, #dev.on<"cpu">>) outs(%7 : tensor<1x4xf32, #dev.on<"cpu">>) {
    ^bb0(%9: f32, %10: f32, %11: f32):
      %12 = arith.subf %9, %10 : f32
      %13 = math.exp %12 : f32
      linalg.yield %13 : f32
    } -> tensor<1x4xf32, #dev.on<"cpu">>
    %14 = arith.constant 0.000000e+00 : f32
    %15 = tensor.empty() : tensor<1x1xf32, #dev.on<"cpu">>
    %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<1x1xf32, #dev.on<"cpu">>) -> tensor<1x1xf32, #dev.on<"cpu">>
    %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<1x4xf32, #dev.on<"cpu">>) outs(%16 : tensor<1x1xf32, #dev.on<"cpu">>) {
    ^bb0(%18: f32, %19: f32):
      %20 = arith.addf %19, %18 : f32
      linalg.yield %20 : f32
    } -> tensor<1x1xf32, #dev.on<"cpu">>
    %21 = tensor.empty() : tensor<1x4xf32, #dev.on<"cpu">>
    %probabilities = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<1x4xf32, #dev.on<"cpu">>, tensor<1x1xf32, #dev.on<"cpu">>) outs(%21 : tensor<1x4xf32, #dev.on<"cpu">>) {
    ^bb0(%22: f32, %23: f32, %24: f32):
      %25 = arith.divf %22, %23 : f32
      linalg.yield %25 : f32
    } -> tensor<1x4xf32, #dev.on<"cpu">>
    func.return %probabilities : tensor<1x4xf32, #dev.on<"cpu">>
  }
  func.func private @argmax(%relu: tensor<1x4xf32, #dev.on<"cpu">>) -> tensor<1xi64, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.argmax"]>} {
    %0 = arith.constant 0xff800000 : f32
    %1 = tensor.empty() : tensor<1xf32, #dev.on<"cpu">>
    %2 = linalg.fill ins(%0 : f32) outs(%1 : tensor<1xf32, #dev.on<"cpu">>) -> tensor<1xf32, #dev.on<"cpu">>
    %3 = arith.constant 0 : i64
    %4 = tensor.empty() : tensor<1xi64, #dev.on<"cpu">>
    %5 = linalg.fill ins(%3 : i64) outs(%4 : tensor<1xi64, #dev.on<"cpu">>) -> tensor<1xi64, #dev.on<"cpu">>
    %6, %label = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%relu : tensor<1x4xf32, #dev.on<"cpu">>) outs(%2, %5 : tensor<1xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>) {
    ^bb0(%7: f32, %8: f32, %9: i64):
      %10 = arith.cmpf ugt, %7, %8 : f32
      %11 = arith.cmpf ord, %8, %8 : f32
      %12 = arith.andi %10, %11 : i1
      %13 = linalg.index 1 : index
      %14 = arith.index_cast %13 : index to i64
      %15 = arith.select %12, %7, %8 : f32
      %16 = arith.select %12, %14, %9 : i64
      linalg.yield %15, %16 : f32, i64
    } -> (tensor<1xf32, #dev.on<"cpu">>, tensor<1xi64, #dev.on<"cpu">>)
    func.return %label : tensor<1xi64, #dev.on<"cpu">>
  }
  func.func private @prepare() -> tensor<1x12x8xf32> {
    %0 = nn.weight @model.1.weight hash "6a9fe95ea6d1680d" : tensor<4x12xf32>
    %1 = nn.pack %0 as <[0, 1], [8, 1]> : (tensor<4x12xf32>) -> tensor<1x12x8xf32>
    func.return %1 : tensor<1x12x8xf32>
  }
}
