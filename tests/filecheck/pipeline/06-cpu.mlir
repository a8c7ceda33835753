// RUN: devproc-opt %s --from-stage cpu --to-stage gpu | filecheck %s

// Loops and vectors of 128 bits; what does not fill a vector is masked, and `exp` is a
// polynomial. The next stage writes the GPU's kernels as block programs, as their schedules
// say: the convolution as a product of blocks, whose rows are pixels and whose columns are
// channels.

// CHECK:      triton.func @conv2d_relu(%layout: !triton.ptr<f32>
// CHECK:        triton.arange
// CHECK:        triton.dot {{.*}} "ieee"
// CHECK:        arith.maximumf
// CHECK:        triton.store
// CHECK:      triton.func @max_pool2d
// CHECK-NOT:  linalg.

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu+cuda", vector_bits = 128, threads = 1, precision = "default", arch = "sm_90", interpret = 1>, devproc.placement = [["nn.conv2d", "cuda"], ["nn.relu", "cuda"], ["nn.max_pool2d", "cuda"]], devproc.exactness = [{step = "resize", where = "unknown source", like = "pillow", mode = "bilinear", dtype = "uint8", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "PIL.Image.Image.resize"}, {step = "normalize", where = "unknown source", like = "", mode = "", dtype = "uint8", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "torchvision's ToTensor and Normalize: torch.div, torch.sub, torch.div"}, {step = "layout", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "numpy.transpose"}, {step = "softmax", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "absolute", limit = 5.000000e-07 : f64, reference = "torch.softmax"}, {step = "argmax", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "torch.argmax"}]} {
  func.func @main(%image: memref<6x8xi8, #dev.on<"cpu">> {dev.name = "image", dev.dtype = "uint8", dev.role = "input"}, %probabilities: memref<1x3xf32, #dev.on<"cpu">> {dev.name = "probabilities", dev.role = "output"}, %label: memref<1xi64, #dev.on<"cpu">> {dev.name = "label", dev.role = "output"}) {
    %cpu_arena = plan.arena "cpu" : memref<256xi8, #dev.on<"cpu">>
    %resize = plan.buffer %cpu_arena id 0 offset 192 bytes 36 live 0 to 1 : memref<256xi8, #dev.on<"cpu">> -> memref<6x6xi8, #dev.on<"cpu">>
    %normalize = plan.buffer %cpu_arena id 1 offset 0 bytes 144 live 1 to 6 : memref<256xi8, #dev.on<"cpu">> -> memref<6x6xf32, #dev.on<"cpu">>
    %pool = plan.buffer %cpu_arena id 2 offset 192 bytes 32 live 5 to 7 : memref<256xi8, #dev.on<"cpu">> -> memref<1x2x2x2xf32, #dev.on<"cpu">>
    %fc = plan.buffer %cpu_arena id 3 offset 0 bytes 12 live 7 to 8 : memref<256xi8, #dev.on<"cpu">> -> memref<1x3xf32, #dev.on<"cpu">>
    %cuda_arena = plan.arena "cuda" : memref<320xi8, #dev.on<"cuda">>
    %layout = plan.buffer %cuda_arena id 0 offset 0 bytes 144 live 2 to 3 : memref<320xi8, #dev.on<"cuda">> -> memref<1x1x6x6xf32, #dev.on<"cuda">>
    %relu = plan.buffer %cuda_arena id 1 offset 192 bytes 128 live 3 to 4 : memref<320xi8, #dev.on<"cuda">> -> memref<1x2x4x4xf32, #dev.on<"cuda">>
    %pool_1 = plan.buffer %cuda_arena id 2 offset 0 bytes 32 live 4 to 5 : memref<320xi8, #dev.on<"cuda">> -> memref<1x2x2x2xf32, #dev.on<"cuda">>
    %0 = plan.weight @prepare.0 hash "21054d20b71216ba" : memref<6xi32, #dev.on<"cpu">>
    %1 = plan.weight @prepare.1 hash "90ad73a8ae9128d7" : memref<6x3xi32, #dev.on<"cpu">>
    %conv_weight = plan.weight @model.conv.weight hash "6a9fe95ea6d1680d" : memref<2x1x3x3xf32, #dev.on<"cuda">>
    %conv_bias = plan.weight @model.conv.bias hash "ccd76d5e4b81be61" : memref<2xf32, #dev.on<"cuda">>
    %fc_bias = plan.weight @model.fc.bias hash "5e53a9d1c1c0be0c" : memref<3xf32, #dev.on<"cpu">>
    plan.launch @resample(%0, %1, %image) -> (%resize) {plan.step = 0 : i64} : (memref<6xi32, #dev.on<"cpu">>, memref<6x3xi32, #dev.on<"cpu">>, memref<6x8xi8, #dev.on<"cpu">>) -> (memref<6x6xi8, #dev.on<"cpu">>)
    plan.launch @cast_div_sub(%resize) -> (%normalize) {plan.step = 1 : i64} : (memref<6x6xi8, #dev.on<"cpu">>) -> (memref<6x6xf32, #dev.on<"cpu">>)
    %layout_1 = plan.view %normalize : memref<6x6xf32, #dev.on<"cpu">> -> memref<1x1x6x6xf32, #dev.on<"cpu">>
    plan.copy %layout_1 to %layout {plan.step = 2 : i64} : memref<1x1x6x6xf32, #dev.on<"cpu">> to memref<1x1x6x6xf32, #dev.on<"cuda">>
    plan.launch @conv2d_relu(%layout, %conv_weight, %conv_bias) -> (%relu) {plan.step = 3 : i64} : (memref<1x1x6x6xf32, #dev.on<"cuda">>, memref<2x1x3x3xf32, #dev.on<"cuda">>, memref<2xf32, #dev.on<"cuda">>) -> (memref<1x2x4x4xf32, #dev.on<"cuda">>)
    plan.launch @max_pool2d(%relu) -> (%pool_1) {plan.step = 4 : i64} : (memref<1x2x4x4xf32, #dev.on<"cuda">>) -> (memref<1x2x2x2xf32, #dev.on<"cuda">>)
    plan.copy %pool_1 to %pool {plan.step = 5 : i64} : memref<1x2x2x2xf32, #dev.on<"cuda">> to memref<1x2x2x2xf32, #dev.on<"cpu">>
    dev.sync "cuda" {plan.step = 6 : i64}
    %flatten = plan.view %pool : memref<1x2x2x2xf32, #dev.on<"cpu">> -> memref<1x8xf32, #dev.on<"cpu">>
    %fc_weight = plan.weight @prepare.2 hash "af96e8a35b17df3f" : memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>
    plan.launch @linear(%flatten, %fc_weight, %fc_bias) -> (%fc) {plan.step = 7 : i64} : (memref<1x8xf32, #dev.on<"cpu">>, memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>, memref<3xf32, #dev.on<"cpu">>) -> (memref<1x3xf32, #dev.on<"cpu">>)
    plan.launch @reduce_max_sub_exp_more(%fc) -> (%probabilities, %label) {plan.step = 8 : i64} : (memref<1x3xf32, #dev.on<"cpu">>) -> (memref<1x3xf32, #dev.on<"cpu">>, memref<1xi64, #dev.on<"cpu">>)
    func.return
  }
  func.func private @prepare() -> (tensor<6xi32>, tensor<6x3xi32>, tensor<1x8x4xf32>) {
    %0, %1 = nn.resample_taps 8 to 6 mode "bilinear" like "pillow" as "int32" : tensor<6xi32>, tensor<6x3xi32>
    %2 = nn.weight @model.fc.weight hash "a9a97e5b7d1c8b55" : tensor<3x8xf32>
    %3 = nn.pack %2 as #dev.layout<[0, 1], [4, 1]> : (tensor<3x8xf32>) -> tensor<1x8x4xf32>
    func.return %0, %1, %3 : tensor<6xi32>, tensor<6x3xi32>, tensor<1x8x4xf32>
  }
  func.func private @resample(%0: memref<6xi32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %1: memref<6x3xi32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %image: memref<6x8xi8, #dev.on<"cpu">> {llvm.noalias}, %2: memref<6x6xi8, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.resample"]>} {
    %3 = arith.constant 0 : index
    %4 = arith.constant 6 : index
    %5 = arith.constant 1 : index
    %6 = arith.constant 4 : index
    %7 = arith.constant dense<2097152> : vector<4xi32>
    %8 = arith.constant 3 : index
    %9 = arith.constant dense<1> : vector<4xi8>
    %10 = arith.constant dense<true> : vector<4xi1>
    %11 = arith.constant 22 : i32
    %12 = arith.constant dense<22> : vector<4xi32>
    %13 = arith.constant 0 : i32
    %14 = arith.constant dense<0> : vector<4xi32>
    %15 = arith.constant 255 : i32
    %16 = arith.constant dense<255> : vector<4xi32>
    %17 = arith.constant dense<[true, true, false, false]> : vector<4xi1>
    %18 = arith.constant dense<1> : vector<4xi32>
    %19 = arith.constant 2097152 : i32
    scf.for %20 = %3 to %4 step %5 {
      %21 = scf.for %22 = %3 to %8 step %5 iter_args(%23 = %7) -> (vector<4xi32>) {
        %24 = vector.load %0[%3] : memref<6xi32, #dev.on<"cpu">>, vector<4xi32>
        %25 = vector.load %1[%3, %22] : memref<6x3xi32, #dev.on<"cpu">>, vector<4xi32>
        %26 = arith.addi %22, %6 : index
        %27 = vector.load %1[%3, %26] : memref<6x3xi32, #dev.on<"cpu">>, vector<4xi32>
        %28 = arith.addi %22, %4 : index
        %29 = vector.load %1[%3, %28] : memref<6x3xi32, #dev.on<"cpu">>, vector<4xi32>
        %30 = vector.shuffle %25, %27 [0, 3, 6, 0] : vector<4xi32>, vector<4xi32>
        %31 = vector.shuffle %30, %29 [0, 1, 2, 7] : vector<4xi32>, vector<4xi32>
        %32 = simd.index_cast %24 : vector<4xi32> to vector<4xindex>
        %33 = vector.broadcast %22 : index to vector<4xindex>
        %34 = arith.addi %32, %33 : vector<4xindex>
        %35 = simd.index_cast %34 : vector<4xindex> to vector<4xi32>
        %36 = simd.gather %image[%20, %3] [%35], %10, %9 : memref<6x8xi8, #dev.on<"cpu">>, vector<4xi32>, vector<4xi1>, vector<4xi8>
        %37 = simd.extui %36 : vector<4xi8> to vector<4xi32>
        %38 = arith.muli %37, %31 : vector<4xi32>
        %39 = arith.addi %23, %38 : vector<4xi32>
        scf.yield %39 : vector<4xi32>
      }
      %40 = arith.shrsi %21, %12 : vector<4xi32>
      %41 = arith.maxsi %40, %14 : vector<4xi32>
      %42 = arith.minsi %41, %16 : vector<4xi32>
      %43 = simd.trunci %42 : vector<4xi32> to vector<4xi8>
      vector.store %43, %2[%20, %3] : memref<6x6xi8, #dev.on<"cpu">>, vector<4xi8>
      %44 = scf.for %45 = %3 to %8 step %5 iter_args(%46 = %7) -> (vector<4xi32>) {
        %47 = vector.maskedload %0[%6], %17, %18 : memref<6xi32, #dev.on<"cpu">>, vector<4xi1>, vector<4xi32> into vector<4xi32>
        %48 = vector.load %1[%6, %45] : memref<6x3xi32, #dev.on<"cpu">>, vector<4xi32>
        %49 = vector.shuffle %48, %48 [0, 3, 0, 0] : vector<4xi32>, vector<4xi32>
        %50 = simd.index_cast %47 : vector<4xi32> to vector<4xindex>
        %51 = vector.broadcast %45 : index to vector<4xindex>
        %52 = arith.addi %50, %51 : vector<4xindex>
        %53 = simd.index_cast %52 : vector<4xindex> to vector<4xi32>
        %54 = simd.gather %image[%20, %3] [%53], %17, %9 : memref<6x8xi8, #dev.on<"cpu">>, vector<4xi32>, vector<4xi1>, vector<4xi8>
        %55 = simd.extui %54 : vector<4xi8> to vector<4xi32>
        %56 = arith.muli %55, %49 : vector<4xi32>
        %57 = arith.addi %46, %56 : vector<4xi32>
        scf.yield %57 : vector<4xi32>
      }
      %58 = arith.shrsi %44, %12 : vector<4xi32>
      %59 = arith.maxsi %58, %14 : vector<4xi32>
      %60 = arith.minsi %59, %16 : vector<4xi32>
      %61 = simd.trunci %60 : vector<4xi32> to vector<4xi8>
      vector.maskedstore %2[%20, %6], %17, %61 : memref<6x6xi8, #dev.on<"cpu">>, vector<4xi1>, vector<4xi8>
    }
    func.return
  }
  func.func private @cast_div_sub(%resize: memref<6x6xi8, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<6x6xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.cast", "nn.div", "nn.sub"]>} {
    %1 = arith.constant 0 : index
    %2 = plan.view %resize : memref<6x6xi8, #dev.on<"cpu">> -> memref<36xi8, #dev.on<"cpu">>
    %3 = plan.view %0 : memref<6x6xf32, #dev.on<"cpu">> -> memref<36xf32, #dev.on<"cpu">>
    %4 = arith.constant 32 : index
    %5 = arith.constant 8 : index
    %6 = arith.constant 4 : index
    %7 = arith.constant 2.550000e+02 : f32
    %8 = arith.constant dense<2.550000e+02> : vector<4xf32>
    %9 = arith.constant 5.000000e-01 : f32
    %10 = arith.constant dense<5.000000e-01> : vector<4xf32>
    %11 = arith.constant 2.500000e-01 : f32
    %12 = arith.constant dense<2.500000e-01> : vector<4xf32>
    scf.for %13 = %1 to %4 step %5 {
      %14 = arith.addi %13, %6 : index
      %15 = vector.load %2[%13] : memref<36xi8, #dev.on<"cpu">>, vector<4xi8>
      %16 = simd.uitofp %15 : vector<4xi8> to vector<4xf32>
      %17 = arith.divf %16, %8 : vector<4xf32>
      %18 = arith.subf %17, %10 : vector<4xf32>
      %19 = arith.divf %18, %12 : vector<4xf32>
      %20 = vector.load %2[%14] : memref<36xi8, #dev.on<"cpu">>, vector<4xi8>
      %21 = simd.uitofp %20 : vector<4xi8> to vector<4xf32>
      %22 = arith.divf %21, %8 : vector<4xf32>
      %23 = arith.subf %22, %10 : vector<4xf32>
      %24 = arith.divf %23, %12 : vector<4xf32>
      vector.store %19, %3[%13] : memref<36xf32, #dev.on<"cpu">>, vector<4xf32>
      vector.store %24, %3[%14] : memref<36xf32, #dev.on<"cpu">>, vector<4xf32>
    }
    %25 = vector.load %2[%4] : memref<36xi8, #dev.on<"cpu">>, vector<4xi8>
    %26 = simd.uitofp %25 : vector<4xi8> to vector<4xf32>
    %27 = arith.divf %26, %8 : vector<4xf32>
    %28 = arith.subf %27, %10 : vector<4xf32>
    %29 = arith.divf %28, %12 : vector<4xf32>
    vector.store %29, %3[%4] : memref<36xf32, #dev.on<"cpu">>, vector<4xf32>
    func.return
  }
  func.func private @conv2d_relu(%layout: memref<1x1x6x6xf32, #dev.on<"cuda">> {llvm.align = 64 : i64, llvm.noalias}, %conv_weight: memref<2x1x3x3xf32, #dev.on<"cuda">> {llvm.align = 64 : i64, llvm.noalias}, %conv_bias: memref<2xf32, #dev.on<"cuda">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x2x4x4xf32, #dev.on<"cuda">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>} {
    %1 = arith.constant 0.000000e+00 : f32
    sched.nest @n0 #sched.block_tile<m = 16, n = 16, k = 16, warps = 4, stages = 1, group = 1, split_k = 1, precision = ieee> why "16 x 2 results of 9 terms are 1 x 1 tiles" {
      linalg.fill ins(%1 : f32) outs(%0 : memref<1x2x4x4xf32, #dev.on<"cuda">>)
      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, (d2 + d5), (d3 + d6))>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%layout, %conv_weight : memref<1x1x6x6xf32, #dev.on<"cuda">>, memref<2x1x3x3xf32, #dev.on<"cuda">>) outs(%0 : memref<1x2x4x4xf32, #dev.on<"cuda">>) {
      ^bb0(%2: f32, %3: f32, %4: f32):
        %5 = arith.mulf %2, %3 : f32
        %6 = arith.addf %4, %5 : f32
        linalg.yield %6 : f32
      }
      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0, %conv_bias : memref<1x2x4x4xf32, #dev.on<"cuda">>, memref<2xf32, #dev.on<"cuda">>) outs(%0 : memref<1x2x4x4xf32, #dev.on<"cuda">>) {
      ^bb0(%7: f32, %8: f32, %9: f32):
        %10 = arith.addf %7, %8 : f32
        %11 = arith.constant 0.000000e+00 : f32
        %12 = arith.maximumf %10, %11 fastmath<nsz> : f32
        linalg.yield %12 : f32
      }
    }
    func.return
  }
  func.func private @max_pool2d(%relu: memref<1x2x4x4xf32, #dev.on<"cuda">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x2x2x2xf32, #dev.on<"cuda">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cuda", "window", ["nn.max_pool2d"]>} {
    %1 = arith.constant 0xff800000 : f32
    %2 = memref.alloca() {alignment = 64 : i64} : memref<2x2xf32, #dev.on<"cuda">>
    sched.nest @n0 #sched.blocks<size = 8, warps = 4> why "8 elements, 8 for each program" {
      linalg.fill ins(%1 : f32) outs(%0 : memref<1x2x2x2xf32, #dev.on<"cuda">>)
      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, ((d2 * 2) + d4), ((d3 * 2) + d5))>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%relu, %2 : memref<1x2x4x4xf32, #dev.on<"cuda">>, memref<2x2xf32, #dev.on<"cuda">>) outs(%0 : memref<1x2x2x2xf32, #dev.on<"cuda">>) {
      ^bb0(%3: f32, %4: f32, %5: f32):
        %6 = arith.maximumf %3, %5 fastmath<nsz> : f32
        linalg.yield %6 : f32
      }
    }
    func.return
  }
  func.func private @linear(%flatten: memref<1x8xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %fc_weight: memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>> {llvm.align = 64 : i64, llvm.noalias}, %fc_bias: memref<3xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x3xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
    %1 = arith.constant 0 : index
    %2 = plan.view %flatten : memref<1x8xf32, #dev.on<"cpu">> -> memref<8xf32, #dev.on<"cpu">>
    %3 = plan.view %0 : memref<1x3xf32, #dev.on<"cpu">> -> memref<3xf32, #dev.on<"cpu">>
    %4 = plan.view %fc_weight : memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>> -> memref<1x8x4xf32, #dev.on<"cpu">>
    %5 = arith.constant 1 : index
    %6 = arith.constant 4 : index
    %7 = arith.constant dense<0.000000e+00> : vector<4xf32>
    %8 = arith.constant 8 : index
    %9 = arith.constant 2 : index
    %10 = arith.constant 3 : index
    %11 = arith.constant dense<[true, true, true, false]> : vector<4xi1>
    %12 = arith.constant 0.000000e+00 : f32
    %13, %14, %15, %16 = scf.for %17 = %1 to %8 step %6 iter_args(%18 = %7, %19 = %7, %20 = %7, %21 = %7) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
      %22 = vector.load %4[%1, %17, %1] : memref<1x8x4xf32, #dev.on<"cpu">>, vector<4xf32>
      %23 = memref.load %2[%17] : memref<8xf32, #dev.on<"cpu">>
      %24 = vector.broadcast %23 : f32 to vector<4xf32>
      %25 = vector.fma %24, %22, %18 : vector<4xf32>
      %26 = arith.addi %17, %5 : index
      %27 = vector.load %4[%1, %26, %1] : memref<1x8x4xf32, #dev.on<"cpu">>, vector<4xf32>
      %28 = memref.load %2[%26] : memref<8xf32, #dev.on<"cpu">>
      %29 = vector.broadcast %28 : f32 to vector<4xf32>
      %30 = vector.fma %29, %27, %19 : vector<4xf32>
      %31 = arith.addi %17, %9 : index
      %32 = vector.load %4[%1, %31, %1] : memref<1x8x4xf32, #dev.on<"cpu">>, vector<4xf32>
      %33 = memref.load %2[%31] : memref<8xf32, #dev.on<"cpu">>
      %34 = vector.broadcast %33 : f32 to vector<4xf32>
      %35 = vector.fma %34, %32, %20 : vector<4xf32>
      %36 = arith.addi %17, %10 : index
      %37 = vector.load %4[%1, %36, %1] : memref<1x8x4xf32, #dev.on<"cpu">>, vector<4xf32>
      %38 = memref.load %2[%36] : memref<8xf32, #dev.on<"cpu">>
      %39 = vector.broadcast %38 : f32 to vector<4xf32>
      %40 = vector.fma %39, %37, %21 : vector<4xf32>
      scf.yield %25, %30, %35, %40 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
    }
    %41 = arith.addf %13, %14 : vector<4xf32>
    %42 = arith.addf %41, %15 : vector<4xf32>
    %43 = arith.addf %42, %16 : vector<4xf32>
    %44 = vector.maskedload %fc_bias[%1], %11, %7 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %45 = arith.addf %43, %44 : vector<4xf32>
    vector.maskedstore %3[%1], %11, %45 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32>
    func.return
  }
  func.func private @reduce_max_sub_exp_more(%fc: memref<1x3xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x3xf32, #dev.on<"cpu">> {llvm.noalias}, %1: memref<1xi64, #dev.on<"cpu">> {llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_max", "nn.sub", "nn.exp", "nn.reduce_sum", "nn.div", "nn.argmax"]>} {
    %2 = arith.constant dense<-1.040000e+02> : vector<4xf32>
    %3 = arith.constant dense<8.900000e+01> : vector<4xf32>
    %4 = arith.constant dense<12582912.0> : vector<4xf32>
    %5 = arith.constant dense<1.44269502> : vector<4xf32>
    %6 = arith.constant dense<-0.693145752> : vector<4xf32>
    %7 = arith.constant dense<-1.42860677e-06> : vector<4xf32>
    %8 = arith.constant dense<0.000198909809> : vector<4xf32>
    %9 = arith.constant dense<0.00139336416> : vector<4xf32>
    %10 = arith.constant dense<0.00833331048> : vector<4xf32>
    %11 = arith.constant dense<0.0416664667> : vector<4xf32>
    %12 = arith.constant dense<0.166666672> : vector<4xf32>
    %13 = arith.constant dense<5.000000e-01> : vector<4xf32>
    %14 = arith.constant dense<1.000000e+00> : vector<4xf32>
    %15 = arith.constant dense<1> : vector<4xi32>
    %16 = arith.constant dense<127> : vector<4xi32>
    %17 = arith.constant dense<23> : vector<4xi32>
    %18 = arith.constant 0 : index
    %19 = plan.view %fc : memref<1x3xf32, #dev.on<"cpu">> -> memref<3xf32, #dev.on<"cpu">>
    %20 = plan.view %0 : memref<1x3xf32, #dev.on<"cpu">> -> memref<3xf32, #dev.on<"cpu">>
    %21 = plan.view %1 : memref<1xi64, #dev.on<"cpu">> -> memref<i64, #dev.on<"cpu">>
    %22 = arith.constant dense<"0x000080FF"> : vector<4xf32>
    %23 = arith.constant dense<[true, true, true, false]> : vector<4xi1>
    %24 = arith.constant dense<0.000000e+00> : vector<4xf32>
    %25 = arith.constant dense<0> : vector<4xi64>
    %26 = arith.constant dense<0> : vector<4xindex>
    %27 = arith.constant dense<9223372036854775807> : vector<4xi64>
    %28 = arith.constant 0xff800000 : f32
    %29 = arith.constant 0.000000e+00 : f32
    %30 = arith.constant 0xff800000 : f32
    %31 = arith.constant 0 : i64
    %32 = vector.maskedload %19[%18], %23, %24 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %33 = arith.maximumf %32, %22 fastmath<nsz> : vector<4xf32>
    %34 = simd.select %23, %33, %22 : vector<4xi1>, vector<4xf32>
    %35 = vector.reduction <maximumf>, %34 fastmath<reassoc> : vector<4xf32> into f32
    %36 = arith.maximumf %28, %35 fastmath<nsz> : f32
    %37 = vector.maskedload %19[%18], %23, %24 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %38 = vector.broadcast %36 : f32 to vector<4xf32>
    %39 = arith.subf %37, %38 : vector<4xf32>
    %40 = simd.cmpf olt, %39, %2 : vector<4xf32> -> vector<4xi1>
    %41 = simd.select %40, %2, %39 : vector<4xi1>, vector<4xf32>
    %42 = simd.cmpf ogt, %41, %3 : vector<4xf32> -> vector<4xi1>
    %43 = simd.select %42, %3, %41 : vector<4xi1>, vector<4xf32>
    %44 = vector.fma %43, %5, %4 : vector<4xf32>
    %45 = arith.bitcast %44 : vector<4xf32> to vector<4xi32>
    %46 = arith.bitcast %4 : vector<4xf32> to vector<4xi32>
    %47 = arith.subi %45, %46 : vector<4xi32>
    %48 = arith.subf %44, %4 : vector<4xf32>
    %49 = vector.fma %48, %6, %43 : vector<4xf32>
    %50 = vector.fma %48, %7, %49 : vector<4xf32>
    %51 = vector.fma %8, %50, %9 : vector<4xf32>
    %52 = vector.fma %51, %50, %10 : vector<4xf32>
    %53 = vector.fma %52, %50, %11 : vector<4xf32>
    %54 = vector.fma %53, %50, %12 : vector<4xf32>
    %55 = vector.fma %54, %50, %13 : vector<4xf32>
    %56 = arith.mulf %50, %50 : vector<4xf32>
    %57 = vector.fma %56, %55, %50 : vector<4xf32>
    %58 = arith.addf %57, %14 : vector<4xf32>
    %59 = arith.shrsi %47, %15 : vector<4xi32>
    %60 = arith.subi %47, %59 : vector<4xi32>
    %61 = arith.addi %59, %16 : vector<4xi32>
    %62 = arith.shli %61, %17 : vector<4xi32>
    %63 = arith.bitcast %62 : vector<4xi32> to vector<4xf32>
    %64 = arith.mulf %58, %63 : vector<4xf32>
    %65 = arith.addi %60, %16 : vector<4xi32>
    %66 = arith.shli %65, %17 : vector<4xi32>
    %67 = arith.bitcast %66 : vector<4xi32> to vector<4xf32>
    %68 = arith.mulf %64, %67 : vector<4xf32>
    vector.maskedstore %20[%18], %23, %68 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32>
    %69 = arith.addf %24, %68 : vector<4xf32>
    %70 = simd.select %23, %69, %24 : vector<4xi1>, vector<4xf32>
    %71 = vector.reduction <add>, %70 fastmath<reassoc> : vector<4xf32> into f32
    %72 = arith.addf %29, %71 : f32
    %73 = vector.maskedload %20[%18], %23, %24 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %74 = vector.broadcast %72 : f32 to vector<4xf32>
    %75 = arith.divf %73, %74 : vector<4xf32>
    vector.maskedstore %20[%18], %23, %75 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32>
    %76 = simd.cmpf ugt, %75, %22 : vector<4xf32> -> vector<4xi1>
    %77 = simd.cmpf ord, %22, %22 : vector<4xf32> -> vector<4xi1>
    %78 = arith.andi %76, %77 : vector<4xi1>
    %79 = simd.step : vector<4xindex>
    %80 = arith.addi %26, %79 : vector<4xindex>
    %81 = simd.index_cast %80 : vector<4xindex> to vector<4xi64>
    %82 = simd.select %78, %75, %22 : vector<4xi1>, vector<4xf32>
    %83 = simd.select %78, %81, %25 : vector<4xi1>, vector<4xi64>
    %84 = simd.select %23, %82, %22 : vector<4xi1>, vector<4xf32>
    %85 = simd.select %23, %83, %25 : vector<4xi1>, vector<4xi64>
    %86 = vector.reduction <maximumf>, %84 fastmath<reassoc> : vector<4xf32> into f32
    %87 = vector.broadcast %86 : f32 to vector<4xf32>
    %88 = simd.cmpf oeq, %84, %87 : vector<4xf32> -> vector<4xi1>
    %89 = simd.cmpf uno, %84, %84 : vector<4xf32> -> vector<4xi1>
    %90 = arith.ori %88, %89 : vector<4xi1>
    %91 = simd.select %90, %85, %27 : vector<4xi1>, vector<4xi64>
    %92 = vector.reduction <minsi>, %91 : vector<4xi64> into i64
    memref.store %92, %21[] : memref<i64, #dev.on<"cpu">>
    func.return
  }
}
