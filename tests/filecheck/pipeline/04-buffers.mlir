// RUN: devproc-opt %s --from-stage buffers --to-stage schedules | filecheck %s

// The memory plan: an arena per device, and the steps over which each buffer is live. The
// image that is copied to the GPU must stay until the sync, in step 5; only then may the
// CPU write over it. Kernels overwrite their last arguments. The next stage chooses how each
// nest of a kernel is computed: an algorithm of its device, its numbers, and the reason.

// CHECK:      func.func private @conv2d_relu
// CHECK:        sched.nest @n0 #sched.implicit_gemm<
// CHECK-SAME:     why "
// CHECK:      func.func private @linear
// CHECK:        sched.nest @n0 #sched.register_tile<
// CHECK-SAME:     why "
// CHECK-NEXT:     linalg.fill
// CHECK-NEXT:     linalg.generic

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 128>, cuda = #triton.options<arch = "sm_90", interpret = 1>>, devproc.placement = [["nn.conv2d", "cuda"], ["nn.relu", "cuda"], ["nn.max_pool2d", "cuda"]], devproc.exactness = [{step = "resize", where = "unknown source", like = "pillow", mode = "bilinear", dtype = "uint8", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "PIL.Image.Image.resize"}, {step = "normalize", where = "unknown source", like = "", mode = "", dtype = "uint8", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "torchvision's ToTensor and Normalize: torch.div, torch.sub, torch.div"}, {step = "layout", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "numpy.transpose"}, {step = "softmax", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "absolute", limit = 5.000000e-07 : f64, reference = "torch.softmax"}, {step = "argmax", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "torch.argmax"}]} {
  func.func @main(%image: memref<6x8xi8, #dev.on<"cpu">> {dev.name = "image", dev.dtype = "uint8", dev.role = "input"}, %probabilities: memref<1x3xf32, #dev.on<"cpu">> {dev.name = "probabilities", dev.role = "output"}, %label: memref<1xi64, #dev.on<"cpu">> {dev.name = "label", dev.role = "output"}) {
    %cpu_arena = plan.arena "cpu" : memref<256xi8, #dev.on<"cpu">>
    %resize = plan.buffer %cpu_arena id 0 offset 192 bytes 36 live 0 to 1 : memref<256xi8, #dev.on<"cpu">> -> memref<6x6xi8, #dev.on<"cpu">>
    %normalize = plan.buffer %cpu_arena id 1 offset 0 bytes 144 live 1 to 2 : memref<256xi8, #dev.on<"cpu">> -> memref<6x6xf32, #dev.on<"cpu">>
    %pool = plan.buffer %cpu_arena id 2 offset 0 bytes 32 live 8 to 9 : memref<256xi8, #dev.on<"cpu">> -> memref<1x2x2x2xf32, #dev.on<"cpu">>
    %pool_1 = plan.buffer %cpu_arena id 3 offset 64 bytes 32 live 9 to 10 : memref<256xi8, #dev.on<"cpu">> -> memref<1x2x2x2xf32, #dev.on<"cpu">>
    %fc = plan.buffer %cpu_arena id 4 offset 0 bytes 12 live 10 to 11 : memref<256xi8, #dev.on<"cpu">> -> memref<1x3xf32, #dev.on<"cpu">>
    %cuda_arena = plan.arena "cuda" : memref<320xi8, #dev.on<"cuda">>
    %0 = plan.buffer %cuda_arena id 0 offset 0 bytes 144 live 3 to 4 : memref<320xi8, #dev.on<"cuda">> -> memref<1x6x6x1xf32, #dev.on<"cuda">>
    %relu = plan.buffer %cuda_arena id 1 offset 192 bytes 128 live 4 to 5 : memref<320xi8, #dev.on<"cuda">> -> memref<1x4x4x2xf32, #dev.on<"cuda">>
    %pool_2 = plan.buffer %cuda_arena id 2 offset 0 bytes 32 live 5 to 6 : memref<320xi8, #dev.on<"cuda">> -> memref<1x2x2x2xf32, #dev.on<"cuda">>
    %1 = plan.weight @prepare.0 hash "21054d20b71216ba" : memref<6xi32, #dev.on<"cpu">>
    %2 = plan.weight @prepare.1 hash "90ad73a8ae9128d7" : memref<6x3xi32, #dev.on<"cpu">>
    %conv_bias = plan.weight @model.conv.bias hash "ccd76d5e4b81be61" : memref<2xf32, #dev.on<"cuda">>
    %fc_bias = plan.weight @model.fc.bias hash "5e53a9d1c1c0be0c" : memref<3xf32, #dev.on<"cpu">>
    %3 = plan.weight @prepare.2 hash "73b1a5c1879920b3" : memref<3x3x1x2xf32, #dev.on<"cuda">>
    plan.launch @resample(%1, %2, %image) -> (%resize) {plan.step = 0 : i64} : (memref<6xi32, #dev.on<"cpu">>, memref<6x3xi32, #dev.on<"cpu">>, memref<6x8xi8, #dev.on<"cpu">>) -> (memref<6x6xi8, #dev.on<"cpu">>)
    plan.launch @cast_div_sub(%resize) -> (%normalize) {plan.step = 1 : i64} : (memref<6x6xi8, #dev.on<"cpu">>) -> (memref<6x6xf32, #dev.on<"cpu">>)
    %4 = plan.view %normalize : memref<6x6xf32, #dev.on<"cpu">> -> memref<1x6x6x1xf32, #dev.on<"cpu">>
    %5 = plan.staging "cuda" : memref<1x6x6x1xf32, #dev.on<"cpu">>
    plan.copy %4 to %5 {plan.step = 2 : i64} : memref<1x6x6x1xf32, #dev.on<"cpu">> to memref<1x6x6x1xf32, #dev.on<"cpu">>
    %6 = dev.record "cuda" stream 0 : !dev.event
    dev.wait %6 "cuda" stream 1 : !dev.event
    plan.copy %5 to %0 {dev.stream = 1 : i64, plan.step = 3 : i64} : memref<1x6x6x1xf32, #dev.on<"cpu">> to memref<1x6x6x1xf32, #dev.on<"cuda">>
    %7 = dev.record "cuda" stream 1 : !dev.event
    dev.wait %7 "cuda" stream 0 : !dev.event
    plan.launch @conv2d_relu(%0, %3, %conv_bias) -> (%relu) {plan.step = 4 : i64} : (memref<1x6x6x1xf32, #dev.on<"cuda">>, memref<3x3x1x2xf32, #dev.on<"cuda">>, memref<2xf32, #dev.on<"cuda">>) -> (memref<1x4x4x2xf32, #dev.on<"cuda">>)
    plan.launch @max_pool2d(%relu) -> (%pool_2) {plan.step = 5 : i64} : (memref<1x4x4x2xf32, #dev.on<"cuda">>) -> (memref<1x2x2x2xf32, #dev.on<"cuda">>)
    %8 = dev.record "cuda" stream 0 : !dev.event
    %pool_3 = plan.staging "cuda" : memref<1x2x2x2xf32, #dev.on<"cpu">>
    dev.wait %8 "cuda" stream 2 : !dev.event
    plan.copy %pool_2 to %pool_3 {dev.stream = 2 : i64, plan.step = 6 : i64} : memref<1x2x2x2xf32, #dev.on<"cuda">> to memref<1x2x2x2xf32, #dev.on<"cpu">>
    %9 = dev.record "cuda" stream 2 : !dev.event
    dev.wait %9 "cuda" stream 0 : !dev.event
    dev.sync "cuda" {plan.step = 7 : i64}
    plan.copy %pool_3 to %pool {plan.step = 8 : i64} : memref<1x2x2x2xf32, #dev.on<"cpu">> to memref<1x2x2x2xf32, #dev.on<"cpu">>
    plan.launch @transpose(%pool) -> (%pool_1) {plan.step = 9 : i64} : (memref<1x2x2x2xf32, #dev.on<"cpu">>) -> (memref<1x2x2x2xf32, #dev.on<"cpu">>)
    %flatten = plan.view %pool_1 : memref<1x2x2x2xf32, #dev.on<"cpu">> -> memref<1x8xf32, #dev.on<"cpu">>
    %fc_weight = plan.weight @prepare.3 hash "af96e8a35b17df3f" : memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>
    plan.launch @linear(%flatten, %fc_weight, %fc_bias) -> (%fc) {plan.step = 10 : i64} : (memref<1x8xf32, #dev.on<"cpu">>, memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>, memref<3xf32, #dev.on<"cpu">>) -> (memref<1x3xf32, #dev.on<"cpu">>)
    plan.launch @reduce_max_sub_exp_more(%fc) -> (%probabilities, %label) {plan.step = 11 : i64} : (memref<1x3xf32, #dev.on<"cpu">>) -> (memref<1x3xf32, #dev.on<"cpu">>, memref<1xi64, #dev.on<"cpu">>)
    func.return
  }
  func.func private @prepare() -> (tensor<6xi32>, tensor<6x3xi32>, tensor<3x3x1x2xf32>, tensor<1x8x4xf32>) {
    %0, %1 = nn.resample_taps 8 to 6 mode "bilinear" like "pillow" as "int32" : tensor<6xi32>, tensor<6x3xi32>
    %conv_weight = nn.weight @model.conv.weight hash "6a9fe95ea6d1680d" : tensor<2x1x3x3xf32>
    %2 = nn.transpose %conv_weight by [2, 3, 1, 0] : (tensor<2x1x3x3xf32>) -> tensor<3x3x1x2xf32>
    %3 = nn.weight @model.fc.weight hash "a9a97e5b7d1c8b55" : tensor<3x8xf32>
    %4 = nn.pack %3 as #dev.layout<[0, 1], [4, 1]> : (tensor<3x8xf32>) -> tensor<1x8x4xf32>
    func.return %0, %1, %2, %4 : tensor<6xi32>, tensor<6x3xi32>, tensor<3x3x1x2xf32>, tensor<1x8x4xf32>
  }
  func.func private @resample(%0: memref<6xi32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %1: memref<6x3xi32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %image: memref<6x8xi8, #dev.on<"cpu">> {llvm.noalias}, %2: memref<6x6xi8, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.resample"]>} {
    %3 = arith.constant 2097152 : i32
    %4 = memref.alloca() {alignment = 64 : i64} : memref<6x6xi32, #dev.on<"cpu">>
    linalg.fill ins(%3 : i32) outs(%4 : memref<6x6xi32, #dev.on<"cpu">>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%0, %1 : memref<6xi32, #dev.on<"cpu">>, memref<6x3xi32, #dev.on<"cpu">>) outs(%4 : memref<6x6xi32, #dev.on<"cpu">>) {
    ^bb0(%5: i32, %6: i32, %7: i32):
      %8 = arith.index_cast %5 : i32 to index
      %9 = linalg.index 2 : index
      %10 = arith.addi %8, %9 : index
      %11 = linalg.index 0 : index
      %12 = memref.load %image[%11, %10] : memref<6x8xi8, #dev.on<"cpu">>
      %13 = arith.extui %12 : i8 to i32
      %14 = arith.muli %13, %6 : i32
      %15 = arith.addi %7, %14 : i32
      linalg.yield %15 : i32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%4 : memref<6x6xi32, #dev.on<"cpu">>) outs(%2 : memref<6x6xi8, #dev.on<"cpu">>) {
    ^bb0(%16: i32, %17: i8):
      %18 = arith.constant 22 : i32
      %19 = arith.shrsi %16, %18 : i32
      %20 = arith.constant 0 : i32
      %21 = arith.maxsi %19, %20 : i32
      %22 = arith.constant 255 : i32
      %23 = arith.minsi %21, %22 : i32
      %24 = arith.trunci %23 : i32 to i8
      linalg.yield %24 : i8
    }
    func.return
  }
  func.func private @cast_div_sub(%resize: memref<6x6xi8, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<6x6xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.cast", "nn.div", "nn.sub"]>} {
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%resize : memref<6x6xi8, #dev.on<"cpu">>) outs(%0 : memref<6x6xf32, #dev.on<"cpu">>) {
    ^bb0(%1: i8, %2: f32):
      %3 = arith.uitofp %1 : i8 to f32
      %4 = arith.constant 2.550000e+02 : f32
      %5 = arith.divf %3, %4 : f32
      %6 = arith.constant 5.000000e-01 : f32
      %7 = arith.subf %5, %6 : f32
      %8 = arith.constant 2.500000e-01 : f32
      %9 = arith.divf %7, %8 : f32
      linalg.yield %9 : f32
    }
    func.return
  }
  func.func private @conv2d_relu(%0: memref<1x6x6x1xf32, #dev.on<"cuda">> {llvm.align = 64 : i64, llvm.noalias}, %1: memref<3x3x1x2xf32, #dev.on<"cuda">> {llvm.align = 64 : i64, llvm.noalias}, %conv_bias: memref<2xf32, #dev.on<"cuda">> {llvm.align = 64 : i64, llvm.noalias}, %2: memref<1x4x4x2xf32, #dev.on<"cuda">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>} {
    %3 = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%3 : f32) outs(%2 : memref<1x4x4x2xf32, #dev.on<"cuda">>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, (d1 + d4), (d2 + d5), d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%0, %1 : memref<1x6x6x1xf32, #dev.on<"cuda">>, memref<3x3x1x2xf32, #dev.on<"cuda">>) outs(%2 : memref<1x4x4x2xf32, #dev.on<"cuda">>) {
    ^bb0(%4: f32, %5: f32, %6: f32):
      %7 = arith.mulf %4, %5 : f32
      %8 = arith.addf %6, %7 : f32
      linalg.yield %8 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %conv_bias : memref<1x4x4x2xf32, #dev.on<"cuda">>, memref<2xf32, #dev.on<"cuda">>) outs(%2 : memref<1x4x4x2xf32, #dev.on<"cuda">>) {
    ^bb0(%9: f32, %10: f32, %11: f32):
      %12 = arith.addf %9, %10 : f32
      %13 = arith.constant 0.000000e+00 : f32
      %14 = arith.maximumf %12, %13 fastmath<nsz> : f32
      linalg.yield %14 : f32
    }
    func.return
  }
  func.func private @max_pool2d(%relu: memref<1x4x4x2xf32, #dev.on<"cuda">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x2x2x2xf32, #dev.on<"cuda">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cuda", "window", ["nn.max_pool2d"]>} {
    %1 = arith.constant 0xff800000 : f32
    %2 = memref.alloca() {alignment = 64 : i64} : memref<2x2xf32, #dev.on<"cuda">>
    linalg.fill ins(%1 : f32) outs(%0 : memref<1x2x2x2xf32, #dev.on<"cuda">>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, ((d1 * 2) + d4), ((d2 * 2) + d5), d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%relu, %2 : memref<1x4x4x2xf32, #dev.on<"cuda">>, memref<2x2xf32, #dev.on<"cuda">>) outs(%0 : memref<1x2x2x2xf32, #dev.on<"cuda">>) {
    ^bb0(%3: f32, %4: f32, %5: f32):
      %6 = arith.maximumf %3, %5 fastmath<nsz> : f32
      linalg.yield %6 : f32
    }
    func.return
  }
  func.func private @transpose(%pool: memref<1x2x2x2xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x2x2x2xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.transpose"]>} {
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%pool : memref<1x2x2x2xf32, #dev.on<"cpu">>) outs(%0 : memref<1x2x2x2xf32, #dev.on<"cpu">>) {
    ^bb0(%1: f32, %2: f32):
      linalg.yield %1 : f32
    }
    func.return
  }
  func.func private @linear(%flatten: memref<1x8xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %fc_weight: memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>> {llvm.align = 64 : i64, llvm.noalias}, %fc_bias: memref<3xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x3xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
    %1 = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%1 : f32) outs(%0 : memref<1x3xf32, #dev.on<"cpu">>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%flatten, %fc_weight : memref<1x8xf32, #dev.on<"cpu">>, memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>) outs(%0 : memref<1x3xf32, #dev.on<"cpu">>) {
    ^bb0(%2: f32, %3: f32, %4: f32):
      %5 = arith.mulf %2, %3 : f32
      %6 = arith.addf %4, %5 : f32
      linalg.yield %6 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%0, %fc_bias : memref<1x3xf32, #dev.on<"cpu">>, memref<3xf32, #dev.on<"cpu">>) outs(%0 : memref<1x3xf32, #dev.on<"cpu">>) {
    ^bb0(%7: f32, %8: f32, %9: f32):
      %10 = arith.addf %7, %8 : f32
      linalg.yield %10 : f32
    }
    func.return
  }
  func.func private @reduce_max_sub_exp_more(%fc: memref<1x3xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x3xf32, #dev.on<"cpu">> {llvm.noalias}, %1: memref<1xi64, #dev.on<"cpu">> {llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_max", "nn.sub", "nn.exp", "nn.reduce_sum", "nn.div", "nn.argmax"]>} {
    %2 = arith.constant 0xff800000 : f32
    %3 = memref.alloca() {alignment = 64 : i64} : memref<1x1xf32, #dev.on<"cpu">>
    linalg.fill ins(%2 : f32) outs(%3 : memref<1x1xf32, #dev.on<"cpu">>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%fc : memref<1x3xf32, #dev.on<"cpu">>) outs(%3 : memref<1x1xf32, #dev.on<"cpu">>) {
    ^bb0(%4: f32, %5: f32):
      %6 = arith.maximumf %4, %5 fastmath<nsz> : f32
      linalg.yield %6 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%fc, %3 : memref<1x3xf32, #dev.on<"cpu">>, memref<1x1xf32, #dev.on<"cpu">>) outs(%0 : memref<1x3xf32, #dev.on<"cpu">>) {
    ^bb0(%7: f32, %8: f32, %9: f32):
      %10 = arith.subf %7, %8 : f32
      %11 = math.exp %10 : f32
      linalg.yield %11 : f32
    }
    %12 = arith.constant 0.000000e+00 : f32
    %13 = memref.alloca() {alignment = 64 : i64} : memref<1x1xf32, #dev.on<"cpu">>
    linalg.fill ins(%12 : f32) outs(%13 : memref<1x1xf32, #dev.on<"cpu">>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%0 : memref<1x3xf32, #dev.on<"cpu">>) outs(%13 : memref<1x1xf32, #dev.on<"cpu">>) {
    ^bb0(%14: f32, %15: f32):
      %16 = arith.addf %15, %14 : f32
      linalg.yield %16 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%0, %13 : memref<1x3xf32, #dev.on<"cpu">>, memref<1x1xf32, #dev.on<"cpu">>) outs(%0 : memref<1x3xf32, #dev.on<"cpu">>) {
    ^bb0(%17: f32, %18: f32, %19: f32):
      %20 = arith.divf %17, %18 : f32
      linalg.yield %20 : f32
    }
    %21 = arith.constant 0xff800000 : f32
    %22 = arith.constant 0 : i64
    %23 = memref.alloca() {alignment = 64 : i64} : memref<1xf32, #dev.on<"cpu">>
    linalg.fill ins(%21 : f32) outs(%23 : memref<1xf32, #dev.on<"cpu">>)
    linalg.fill ins(%22 : i64) outs(%1 : memref<1xi64, #dev.on<"cpu">>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%0 : memref<1x3xf32, #dev.on<"cpu">>) outs(%23, %1 : memref<1xf32, #dev.on<"cpu">>, memref<1xi64, #dev.on<"cpu">>) {
    ^bb0(%24: f32, %25: f32, %26: i64):
      %27 = arith.cmpf ugt, %24, %25 : f32
      %28 = arith.cmpf ord, %25, %25 : f32
      %29 = arith.andi %27, %28 : i1
      %30 = linalg.index 1 : index
      %31 = arith.index_cast %30 : index to i64
      %32 = arith.select %29, %24, %25 : f32
      %33 = arith.select %29, %31, %26 : i64
      linalg.yield %32, %33 : f32, i64
    }
    func.return
  }
}
