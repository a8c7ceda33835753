// RUN: devproc-opt %s --from-stage host --to-stage llvm | filecheck %s

// The host's part is what `@main` holds: calls, copies and a sync, in order. The next
// stage writes the segments and their kernels in the llvm dialect; each segment gets a C
// entry that takes a table of pointers.

// CHECK:      func.func @main
// CHECK:        plan.launch @segment_1
// CHECK:      triton.func @conv2d_relu
// CHECK:      llvm.func internal @linear({{.*}}llvm.align = 64 : i64, llvm.noalias
// CHECK:        llvm.intr.fma
// CHECK:      llvm.func @segment_0_entry(%table: !llvm.ptr)
// CHECK:        llvm.call @segment_0(
// CHECK:      llvm.func @segment_1_entry(

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
    plan.launch @segment_0(%1, %2, %image) -> (%resize, %normalize) {plan.step = 0 : i64, plan.last_step = 1 : i64} : (memref<6xi32, #dev.on<"cpu">>, memref<6x3xi32, #dev.on<"cpu">>, memref<6x8xi8, #dev.on<"cpu">>) -> (memref<6x6xi8, #dev.on<"cpu">>, memref<6x6xf32, #dev.on<"cpu">>)
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
    %fc_weight = plan.weight @prepare.3 hash "af96e8a35b17df3f" : memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>
    plan.launch @segment_1(%pool, %fc_weight, %fc_bias) -> (%pool_1, %fc, %probabilities, %label) {plan.step = 9 : i64, plan.last_step = 11 : i64} : (memref<1x2x2x2xf32, #dev.on<"cpu">>, memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>, memref<3xf32, #dev.on<"cpu">>) -> (memref<1x2x2x2xf32, #dev.on<"cpu">>, memref<1x3xf32, #dev.on<"cpu">>, memref<1x3xf32, #dev.on<"cpu">>, memref<1xi64, #dev.on<"cpu">>)
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
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c3 = arith.constant 3 : index
    %3 = arith.constant dense<2097152> : vector<4xi32>
    %4 = arith.constant dense<1> : vector<4xi8>
    %5 = arith.constant dense<true> : vector<4xi1>
    %6 = arith.constant dense<22> : vector<4xi32>
    %7 = arith.constant dense<0> : vector<4xi32>
    %8 = arith.constant dense<255> : vector<4xi32>
    %9 = arith.constant dense<[true, true, false, false]> : vector<4xi1>
    %10 = arith.constant dense<1> : vector<4xi32>
    scf.for %11 = %c0 to %c6 step %c1 {
      %12 = scf.for %13 = %c0 to %c3 step %c1 iter_args(%14 = %3) -> (vector<4xi32>) {
        %15 = vector.load %0[%c0] : memref<6xi32, #dev.on<"cpu">>, vector<4xi32>
        %16 = vector.load %1[%c0, %13] : memref<6x3xi32, #dev.on<"cpu">>, vector<4xi32>
        %17 = arith.addi %13, %c4 : index
        %18 = vector.load %1[%c0, %17] : memref<6x3xi32, #dev.on<"cpu">>, vector<4xi32>
        %19 = arith.addi %13, %c6 : index
        %20 = vector.load %1[%c0, %19] : memref<6x3xi32, #dev.on<"cpu">>, vector<4xi32>
        %21 = vector.shuffle %16, %18 [0, 3, 6, 0] : vector<4xi32>, vector<4xi32>
        %22 = vector.shuffle %21, %20 [0, 1, 2, 7] : vector<4xi32>, vector<4xi32>
        %23 = simd.index_cast %15 : vector<4xi32> to vector<4xindex>
        %24 = vector.broadcast %13 : index to vector<4xindex>
        %25 = arith.addi %23, %24 : vector<4xindex>
        %26 = simd.index_cast %25 : vector<4xindex> to vector<4xi32>
        %27 = simd.gather %image[%11, %c0] [%26], %5, %4 : memref<6x8xi8, #dev.on<"cpu">>, vector<4xi32>, vector<4xi1>, vector<4xi8>
        %28 = simd.extui %27 : vector<4xi8> to vector<4xi32>
        %29 = arith.muli %28, %22 : vector<4xi32>
        %30 = arith.addi %14, %29 : vector<4xi32>
        scf.yield %30 : vector<4xi32>
      }
      %31 = arith.shrsi %12, %6 : vector<4xi32>
      %32 = arith.maxsi %31, %7 : vector<4xi32>
      %33 = arith.minsi %32, %8 : vector<4xi32>
      %34 = simd.trunci %33 : vector<4xi32> to vector<4xi8>
      vector.store %34, %2[%11, %c0] : memref<6x6xi8, #dev.on<"cpu">>, vector<4xi8>
      %35 = scf.for %36 = %c0 to %c3 step %c1 iter_args(%37 = %3) -> (vector<4xi32>) {
        %38 = vector.maskedload %0[%c4], %9, %10 : memref<6xi32, #dev.on<"cpu">>, vector<4xi1>, vector<4xi32> into vector<4xi32>
        %39 = vector.load %1[%c4, %36] : memref<6x3xi32, #dev.on<"cpu">>, vector<4xi32>
        %40 = vector.shuffle %39, %39 [0, 3, 0, 0] : vector<4xi32>, vector<4xi32>
        %41 = simd.index_cast %38 : vector<4xi32> to vector<4xindex>
        %42 = vector.broadcast %36 : index to vector<4xindex>
        %43 = arith.addi %41, %42 : vector<4xindex>
        %44 = simd.index_cast %43 : vector<4xindex> to vector<4xi32>
        %45 = simd.gather %image[%11, %c0] [%44], %9, %4 : memref<6x8xi8, #dev.on<"cpu">>, vector<4xi32>, vector<4xi1>, vector<4xi8>
        %46 = simd.extui %45 : vector<4xi8> to vector<4xi32>
        %47 = arith.muli %46, %40 : vector<4xi32>
        %48 = arith.addi %37, %47 : vector<4xi32>
        scf.yield %48 : vector<4xi32>
      }
      %49 = arith.shrsi %35, %6 : vector<4xi32>
      %50 = arith.maxsi %49, %7 : vector<4xi32>
      %51 = arith.minsi %50, %8 : vector<4xi32>
      %52 = simd.trunci %51 : vector<4xi32> to vector<4xi8>
      vector.maskedstore %2[%11, %c4], %9, %52 : memref<6x6xi8, #dev.on<"cpu">>, vector<4xi1>, vector<4xi8>
    }
    func.return
  }
  func.func private @cast_div_sub(%resize: memref<6x6xi8, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<6x6xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.cast", "nn.div", "nn.sub"]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c8 = arith.constant 8 : index
    %1 = plan.view %resize : memref<6x6xi8, #dev.on<"cpu">> -> memref<36xi8, #dev.on<"cpu">>
    %2 = plan.view %0 : memref<6x6xf32, #dev.on<"cpu">> -> memref<36xf32, #dev.on<"cpu">>
    %c4 = arith.constant 4 : index
    %3 = arith.constant dense<2.550000e+02> : vector<4xf32>
    %4 = arith.constant dense<5.000000e-01> : vector<4xf32>
    %5 = arith.constant dense<2.500000e-01> : vector<4xf32>
    scf.for %6 = %c0 to %c32 step %c8 {
      %7 = arith.addi %6, %c4 : index
      %8 = vector.load %1[%6] : memref<36xi8, #dev.on<"cpu">>, vector<4xi8>
      %9 = simd.uitofp %8 : vector<4xi8> to vector<4xf32>
      %10 = arith.divf %9, %3 : vector<4xf32>
      %11 = arith.subf %10, %4 : vector<4xf32>
      %12 = arith.divf %11, %5 : vector<4xf32>
      %13 = vector.load %1[%7] : memref<36xi8, #dev.on<"cpu">>, vector<4xi8>
      %14 = simd.uitofp %13 : vector<4xi8> to vector<4xf32>
      %15 = arith.divf %14, %3 : vector<4xf32>
      %16 = arith.subf %15, %4 : vector<4xf32>
      %17 = arith.divf %16, %5 : vector<4xf32>
      vector.store %12, %2[%6] : memref<36xf32, #dev.on<"cpu">>, vector<4xf32>
      vector.store %17, %2[%7] : memref<36xf32, #dev.on<"cpu">>, vector<4xf32>
    }
    %18 = vector.load %1[%c32] : memref<36xi8, #dev.on<"cpu">>, vector<4xi8>
    %19 = simd.uitofp %18 : vector<4xi8> to vector<4xf32>
    %20 = arith.divf %19, %3 : vector<4xf32>
    %21 = arith.subf %20, %4 : vector<4xf32>
    %22 = arith.divf %21, %5 : vector<4xf32>
    vector.store %22, %2[%c32] : memref<36xf32, #dev.on<"cpu">>, vector<4xf32>
    func.return
  }
  triton.func @conv2d_relu(%0: !triton.ptr<f32>, %1: !triton.ptr<f32>, %conv_bias: !triton.ptr<f32>, %2: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 3 : i32, dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>} {
    %3 = arith.constant 48 : i32
    %4 = arith.constant 0 : i32
    %5 = arith.constant 4 : i32
    %6 = arith.constant 6 : i32
    %7 = arith.constant 3 : i32
    %8 = arith.constant 16 : i32
    %9 = arith.constant 0.000000e+00 : f32
    %10 = arith.constant 2 : i32
    %lanes = triton.arange : tensor<16xi32>
    %m = triton.expand_dims %lanes axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %n = triton.expand_dims %lanes axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %11 = triton.splat %10 : i32 -> tensor<1x16xi32>
    %in_n = triton.compare "slt" %n, %11 : tensor<1x16xi32> -> tensor<1x16xi1>
    %12 = triton.splat %9 : f32 -> tensor<16x16xf32>
    %13 = triton.splat %7 : i32 -> tensor<1x16xi32>
    %in_c = triton.compare "slt" %n, %13 : tensor<1x16xi32> -> tensor<1x16xi1>
    %14 = triton.splat %5 : i32 -> tensor<16x1xi32>
    %15 = arith.divsi %m, %14 : tensor<16x1xi32>
    %16 = triton.splat %6 : i32 -> tensor<16x1xi32>
    %17 = arith.muli %15, %16 : tensor<16x1xi32>
    %18 = triton.broadcast %17 : tensor<16x1xi32> -> tensor<16x16xi32>
    %19 = arith.remsi %m, %14 : tensor<16x1xi32>
    %20 = triton.broadcast %19 : tensor<16x1xi32> -> tensor<16x16xi32>
    %21 = triton.broadcast %in_c : tensor<1x16xi1> -> tensor<16x16xi1>
    %22 = triton.splat %7 : i32 -> tensor<16x1xi32>
    %in_c_1 = triton.compare "slt" %m, %22 : tensor<16x1xi32> -> tensor<16x1xi1>
    %23 = triton.splat %10 : i32 -> tensor<16x1xi32>
    %24 = arith.muli %m, %23 : tensor<16x1xi32>
    %25 = triton.broadcast %n : tensor<1x16xi32> -> tensor<16x16xi32>
    %26 = triton.broadcast %in_c_1 : tensor<16x1xi1> -> tensor<16x16xi1>
    %27 = triton.broadcast %in_n : tensor<1x16xi1> -> tensor<16x16xi1>
    %28 = arith.andi %26, %27 : tensor<16x16xi1>
    %29 = scf.for %k = %4 to %3 step %8 iter_args(%acc = %12) -> (tensor<16x16xf32>) : i32 {
      %30 = arith.divsi %k, %8 : i32
      %31 = arith.muli %30, %6 : i32
      %32 = triton.splat %31 : i32 -> tensor<1x16xi32>
      %33 = arith.addi %32, %n : tensor<1x16xi32>
      %34 = triton.broadcast %33 : tensor<1x16xi32> -> tensor<16x16xi32>
      %35 = arith.addi %34, %18 : tensor<16x16xi32>
      %36 = arith.addi %35, %20 : tensor<16x16xi32>
      %37 = triton.addptr %0, %36 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
      %38 = triton.load %37 mask %21 : tensor<16x16xi1> other %12 : tensor<16x16xf32> : tensor<16x16x!triton.ptr<f32>> -> tensor<16x16xf32>
      %39 = triton.splat %31 : i32 -> tensor<16x1xi32>
      %40 = arith.addi %39, %24 : tensor<16x1xi32>
      %41 = triton.broadcast %40 : tensor<16x1xi32> -> tensor<16x16xi32>
      %42 = arith.addi %41, %25 : tensor<16x16xi32>
      %43 = triton.addptr %1, %42 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
      %44 = triton.load %43 mask %28 : tensor<16x16xi1> other %12 : tensor<16x16xf32> : tensor<16x16x!triton.ptr<f32>> -> tensor<16x16xf32>
      %acc_1 = triton.dot %38, %44, %acc "tf32x3" : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
      scf.yield %acc_1 : tensor<16x16xf32>
    }
    %45 = triton.addptr %conv_bias, %n : !triton.ptr<f32>, tensor<1x16xi32> -> tensor<1x16x!triton.ptr<f32>>
    %46 = triton.splat %9 : f32 -> tensor<1x16xf32>
    %conv_bias_1 = triton.load %45 mask %in_n : tensor<1x16xi1> other %46 : tensor<1x16xf32> : tensor<1x16x!triton.ptr<f32>> -> tensor<1x16xf32>
    %47 = triton.broadcast %conv_bias_1 : tensor<1x16xf32> -> tensor<16x16xf32>
    %48 = arith.addf %29, %47 : tensor<16x16xf32>
    %49 = arith.maximumf %48, %12 : tensor<16x16xf32>
    %50 = triton.broadcast %24 : tensor<16x1xi32> -> tensor<16x16xi32>
    %51 = arith.addi %50, %25 : tensor<16x16xi32>
    %52 = triton.addptr %2, %51 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    triton.store %52, %49 mask %27 : tensor<16x16xi1> : tensor<16x16x!triton.ptr<f32>>, tensor<16x16xf32>
    triton.return
  }
  triton.func @max_pool2d(%relu: !triton.ptr<f32>, %0: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 1 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "window", ["nn.max_pool2d"]>} {
    %1 = arith.constant 10 : i32
    %2 = arith.constant 8 : i32
    %3 = arith.constant 4 : i32
    %4 = arith.constant 16 : i32
    %5 = arith.constant 2 : i32
    %6 = arith.constant 0xff800000 : f32
    %lanes = triton.arange : tensor<4xi32>
    %pixel = triton.expand_dims %lanes axis 1 : tensor<4xi32> -> tensor<4x1xi32>
    %lanes_1 = triton.arange : tensor<2xi32>
    %c = triton.expand_dims %lanes_1 axis 0 : tensor<2xi32> -> tensor<1x2xi32>
    %7 = triton.splat %6 : f32 -> tensor<4x2xf32>
    %8 = triton.splat %5 : i32 -> tensor<4x1xi32>
    %9 = arith.divsi %pixel, %8 : tensor<4x1xi32>
    %10 = triton.splat %4 : i32 -> tensor<4x1xi32>
    %11 = arith.muli %9, %10 : tensor<4x1xi32>
    %12 = arith.remsi %pixel, %8 : tensor<4x1xi32>
    %13 = triton.splat %3 : i32 -> tensor<4x1xi32>
    %14 = arith.muli %12, %13 : tensor<4x1xi32>
    %15 = arith.addi %11, %14 : tensor<4x1xi32>
    %16 = triton.broadcast %15 : tensor<4x1xi32> -> tensor<4x2xi32>
    %17 = triton.broadcast %c : tensor<1x2xi32> -> tensor<4x2xi32>
    %18 = arith.addi %16, %17 : tensor<4x2xi32>
    %19 = triton.addptr %relu, %18 : !triton.ptr<f32>, tensor<4x2xi32> -> tensor<4x2x!triton.ptr<f32>>
    %relu_1 = triton.load %19 : tensor<4x2x!triton.ptr<f32>> -> tensor<4x2xf32>
    %20 = arith.maximumf %relu_1, %7 : tensor<4x2xf32>
    %21 = arith.addi %11, %8 : tensor<4x1xi32>
    %22 = arith.addi %21, %14 : tensor<4x1xi32>
    %23 = triton.broadcast %22 : tensor<4x1xi32> -> tensor<4x2xi32>
    %24 = arith.addi %23, %17 : tensor<4x2xi32>
    %25 = triton.addptr %relu, %24 : !triton.ptr<f32>, tensor<4x2xi32> -> tensor<4x2x!triton.ptr<f32>>
    %relu_2 = triton.load %25 : tensor<4x2x!triton.ptr<f32>> -> tensor<4x2xf32>
    %26 = arith.maximumf %relu_2, %20 : tensor<4x2xf32>
    %27 = triton.splat %2 : i32 -> tensor<4x1xi32>
    %28 = arith.addi %11, %27 : tensor<4x1xi32>
    %29 = arith.addi %28, %14 : tensor<4x1xi32>
    %30 = triton.broadcast %29 : tensor<4x1xi32> -> tensor<4x2xi32>
    %31 = arith.addi %30, %17 : tensor<4x2xi32>
    %32 = triton.addptr %relu, %31 : !triton.ptr<f32>, tensor<4x2xi32> -> tensor<4x2x!triton.ptr<f32>>
    %relu_3 = triton.load %32 : tensor<4x2x!triton.ptr<f32>> -> tensor<4x2xf32>
    %33 = arith.maximumf %relu_3, %26 : tensor<4x2xf32>
    %34 = triton.splat %1 : i32 -> tensor<4x1xi32>
    %35 = arith.addi %11, %34 : tensor<4x1xi32>
    %36 = arith.addi %35, %14 : tensor<4x1xi32>
    %37 = triton.broadcast %36 : tensor<4x1xi32> -> tensor<4x2xi32>
    %38 = arith.addi %37, %17 : tensor<4x2xi32>
    %39 = triton.addptr %relu, %38 : !triton.ptr<f32>, tensor<4x2xi32> -> tensor<4x2x!triton.ptr<f32>>
    %relu_4 = triton.load %39 : tensor<4x2x!triton.ptr<f32>> -> tensor<4x2xf32>
    %40 = arith.maximumf %relu_4, %33 : tensor<4x2xf32>
    %41 = arith.muli %pixel, %8 : tensor<4x1xi32>
    %42 = triton.broadcast %41 : tensor<4x1xi32> -> tensor<4x2xi32>
    %43 = arith.addi %42, %17 : tensor<4x2xi32>
    %44 = triton.addptr %0, %43 : !triton.ptr<f32>, tensor<4x2xi32> -> tensor<4x2x!triton.ptr<f32>>
    triton.store %44, %40 : tensor<4x2x!triton.ptr<f32>>, tensor<4x2xf32>
    triton.return
  }
  func.func private @transpose(%pool: memref<1x2x2x2xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x2x2x2xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.transpose"]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %1 = plan.view %pool : memref<1x2x2x2xf32, #dev.on<"cpu">> -> memref<4x2xf32, #dev.on<"cpu">>
    %2 = plan.view %0 : memref<1x2x2x2xf32, #dev.on<"cpu">> -> memref<2x4xf32, #dev.on<"cpu">>
    %c3 = arith.constant 3 : index
    scf.for %3 = %c0 to %c2 step %c1 {
      %4 = vector.load %1[%c0, %3] : memref<4x2xf32, #dev.on<"cpu">>, vector<4xf32>
      %5 = arith.addi %3, %c3 : index
      %6 = vector.load %1[%c0, %5] : memref<4x2xf32, #dev.on<"cpu">>, vector<4xf32>
      %7 = vector.shuffle %4, %6 [0, 2, 5, 7] : vector<4xf32>, vector<4xf32>
      vector.store %7, %2[%3, %c0] : memref<2x4xf32, #dev.on<"cpu">>, vector<4xf32>
    }
    func.return
  }
  func.func private @linear(%flatten: memref<1x8xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %fc_weight: memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>> {llvm.align = 64 : i64, llvm.noalias}, %fc_bias: memref<3xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x3xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %1 = plan.view %flatten : memref<1x8xf32, #dev.on<"cpu">> -> memref<8xf32, #dev.on<"cpu">>
    %2 = plan.view %0 : memref<1x3xf32, #dev.on<"cpu">> -> memref<3xf32, #dev.on<"cpu">>
    %3 = plan.view %fc_weight : memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>> -> memref<1x8x4xf32, #dev.on<"cpu">>
    %4 = arith.constant dense<0.000000e+00> : vector<4xf32>
    %5 = arith.constant dense<[true, true, true, false]> : vector<4xi1>
    %6, %7, %8, %9 = scf.for %10 = %c0 to %c8 step %c4 iter_args(%11 = %4, %12 = %4, %13 = %4, %14 = %4) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
      %15 = vector.load %3[%c0, %10, %c0] : memref<1x8x4xf32, #dev.on<"cpu">>, vector<4xf32>
      %16 = memref.load %1[%10] : memref<8xf32, #dev.on<"cpu">>
      %17 = vector.broadcast %16 : f32 to vector<4xf32>
      %18 = vector.fma %17, %15, %11 : vector<4xf32>
      %19 = arith.addi %10, %c1 : index
      %20 = vector.load %3[%c0, %19, %c0] : memref<1x8x4xf32, #dev.on<"cpu">>, vector<4xf32>
      %21 = memref.load %1[%19] : memref<8xf32, #dev.on<"cpu">>
      %22 = vector.broadcast %21 : f32 to vector<4xf32>
      %23 = vector.fma %22, %20, %12 : vector<4xf32>
      %24 = arith.addi %10, %c2 : index
      %25 = vector.load %3[%c0, %24, %c0] : memref<1x8x4xf32, #dev.on<"cpu">>, vector<4xf32>
      %26 = memref.load %1[%24] : memref<8xf32, #dev.on<"cpu">>
      %27 = vector.broadcast %26 : f32 to vector<4xf32>
      %28 = vector.fma %27, %25, %13 : vector<4xf32>
      %29 = arith.addi %10, %c3 : index
      %30 = vector.load %3[%c0, %29, %c0] : memref<1x8x4xf32, #dev.on<"cpu">>, vector<4xf32>
      %31 = memref.load %1[%29] : memref<8xf32, #dev.on<"cpu">>
      %32 = vector.broadcast %31 : f32 to vector<4xf32>
      %33 = vector.fma %32, %30, %14 : vector<4xf32>
      scf.yield %18, %23, %28, %33 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
    }
    %34 = arith.addf %6, %7 : vector<4xf32>
    %35 = arith.addf %34, %8 : vector<4xf32>
    %36 = arith.addf %35, %9 : vector<4xf32>
    %37 = vector.maskedload %fc_bias[%c0], %5, %4 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %38 = arith.addf %36, %37 : vector<4xf32>
    vector.maskedstore %2[%c0], %5, %38 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32>
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
    %c0 = arith.constant 0 : index
    %18 = arith.constant 0xff800000 : f32
    %19 = arith.constant 0.000000e+00 : f32
    %20 = plan.view %fc : memref<1x3xf32, #dev.on<"cpu">> -> memref<3xf32, #dev.on<"cpu">>
    %21 = plan.view %0 : memref<1x3xf32, #dev.on<"cpu">> -> memref<3xf32, #dev.on<"cpu">>
    %22 = plan.view %1 : memref<1xi64, #dev.on<"cpu">> -> memref<i64, #dev.on<"cpu">>
    %23 = arith.constant dense<"0x000080FF"> : vector<4xf32>
    %24 = arith.constant dense<[true, true, true, false]> : vector<4xi1>
    %25 = arith.constant dense<0.000000e+00> : vector<4xf32>
    %26 = arith.constant dense<0> : vector<4xi64>
    %27 = arith.constant dense<0> : vector<4xindex>
    %28 = arith.constant dense<9223372036854775807> : vector<4xi64>
    %29 = vector.maskedload %20[%c0], %24, %25 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %30 = arith.maximumf %29, %23 fastmath<nsz> : vector<4xf32>
    %31 = simd.select %24, %30, %23 : vector<4xi1>, vector<4xf32>
    %32 = vector.reduction <maximumf>, %31 fastmath<reassoc> : vector<4xf32> into f32
    %33 = arith.maximumf %18, %32 fastmath<nsz> : f32
    %34 = vector.maskedload %20[%c0], %24, %25 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %35 = vector.broadcast %33 : f32 to vector<4xf32>
    %36 = arith.subf %34, %35 : vector<4xf32>
    %37 = simd.cmpf olt, %36, %2 : vector<4xf32> -> vector<4xi1>
    %38 = simd.select %37, %2, %36 : vector<4xi1>, vector<4xf32>
    %39 = simd.cmpf ogt, %38, %3 : vector<4xf32> -> vector<4xi1>
    %40 = simd.select %39, %3, %38 : vector<4xi1>, vector<4xf32>
    %41 = vector.fma %40, %5, %4 : vector<4xf32>
    %42 = arith.bitcast %41 : vector<4xf32> to vector<4xi32>
    %43 = arith.bitcast %4 : vector<4xf32> to vector<4xi32>
    %44 = arith.subi %42, %43 : vector<4xi32>
    %45 = arith.subf %41, %4 : vector<4xf32>
    %46 = vector.fma %45, %6, %40 : vector<4xf32>
    %47 = vector.fma %45, %7, %46 : vector<4xf32>
    %48 = vector.fma %8, %47, %9 : vector<4xf32>
    %49 = vector.fma %48, %47, %10 : vector<4xf32>
    %50 = vector.fma %49, %47, %11 : vector<4xf32>
    %51 = vector.fma %50, %47, %12 : vector<4xf32>
    %52 = vector.fma %51, %47, %13 : vector<4xf32>
    %53 = arith.mulf %47, %47 : vector<4xf32>
    %54 = vector.fma %53, %52, %47 : vector<4xf32>
    %55 = arith.addf %54, %14 : vector<4xf32>
    %56 = arith.shrsi %44, %15 : vector<4xi32>
    %57 = arith.subi %44, %56 : vector<4xi32>
    %58 = arith.addi %56, %16 : vector<4xi32>
    %59 = arith.shli %58, %17 : vector<4xi32>
    %60 = arith.bitcast %59 : vector<4xi32> to vector<4xf32>
    %61 = arith.mulf %55, %60 : vector<4xf32>
    %62 = arith.addi %57, %16 : vector<4xi32>
    %63 = arith.shli %62, %17 : vector<4xi32>
    %64 = arith.bitcast %63 : vector<4xi32> to vector<4xf32>
    %65 = arith.mulf %61, %64 : vector<4xf32>
    vector.maskedstore %21[%c0], %24, %65 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32>
    %66 = arith.addf %25, %65 : vector<4xf32>
    %67 = simd.select %24, %66, %25 : vector<4xi1>, vector<4xf32>
    %68 = vector.reduction <add>, %67 fastmath<reassoc> : vector<4xf32> into f32
    %69 = arith.addf %19, %68 : f32
    %70 = vector.maskedload %21[%c0], %24, %25 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %71 = vector.broadcast %69 : f32 to vector<4xf32>
    %72 = arith.divf %70, %71 : vector<4xf32>
    vector.maskedstore %21[%c0], %24, %72 : memref<3xf32, #dev.on<"cpu">>, vector<4xi1>, vector<4xf32>
    %73 = simd.cmpf ugt, %72, %23 : vector<4xf32> -> vector<4xi1>
    %74 = simd.cmpf ord, %23, %23 : vector<4xf32> -> vector<4xi1>
    %75 = arith.andi %73, %74 : vector<4xi1>
    %76 = simd.step : vector<4xindex>
    %77 = arith.addi %27, %76 : vector<4xindex>
    %78 = simd.index_cast %77 : vector<4xindex> to vector<4xi64>
    %79 = simd.select %75, %72, %23 : vector<4xi1>, vector<4xf32>
    %80 = simd.select %75, %78, %26 : vector<4xi1>, vector<4xi64>
    %81 = simd.select %24, %79, %23 : vector<4xi1>, vector<4xf32>
    %82 = simd.select %24, %80, %26 : vector<4xi1>, vector<4xi64>
    %83 = vector.reduction <maximumf>, %81 fastmath<reassoc> : vector<4xf32> into f32
    %84 = vector.broadcast %83 : f32 to vector<4xf32>
    %85 = simd.cmpf oeq, %81, %84 : vector<4xf32> -> vector<4xi1>
    %86 = simd.cmpf uno, %81, %81 : vector<4xf32> -> vector<4xi1>
    %87 = arith.ori %85, %86 : vector<4xi1>
    %88 = simd.select %87, %82, %28 : vector<4xi1>, vector<4xi64>
    %89 = vector.reduction <minsi>, %88 : vector<4xi64> into i64
    memref.store %89, %22[] : memref<i64, #dev.on<"cpu">>
    func.return
  }
  func.func private @segment_0(%0: memref<6xi32, #dev.on<"cpu">> {llvm.align = 64 : i64}, %1: memref<6x3xi32, #dev.on<"cpu">> {llvm.align = 64 : i64}, %image: memref<6x8xi8, #dev.on<"cpu">>, %resize: memref<6x6xi8, #dev.on<"cpu">> {llvm.align = 64 : i64}, %normalize: memref<6x6xf32, #dev.on<"cpu">> {llvm.align = 64 : i64}) {
    func.call @resample(%0, %1, %image, %resize) : (memref<6xi32, #dev.on<"cpu">>, memref<6x3xi32, #dev.on<"cpu">>, memref<6x8xi8, #dev.on<"cpu">>, memref<6x6xi8, #dev.on<"cpu">>) -> ()
    func.call @cast_div_sub(%resize, %normalize) : (memref<6x6xi8, #dev.on<"cpu">>, memref<6x6xf32, #dev.on<"cpu">>) -> ()
    func.return
  }
  func.func private @segment_1(%pool: memref<1x2x2x2xf32, #dev.on<"cpu">> {llvm.align = 64 : i64}, %fc_weight: memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>> {llvm.align = 64 : i64}, %fc_bias: memref<3xf32, #dev.on<"cpu">> {llvm.align = 64 : i64}, %pool_1: memref<1x2x2x2xf32, #dev.on<"cpu">> {llvm.align = 64 : i64}, %fc: memref<1x3xf32, #dev.on<"cpu">> {llvm.align = 64 : i64}, %probabilities: memref<1x3xf32, #dev.on<"cpu">>, %label: memref<1xi64, #dev.on<"cpu">>) {
    func.call @transpose(%pool, %pool_1) : (memref<1x2x2x2xf32, #dev.on<"cpu">>, memref<1x2x2x2xf32, #dev.on<"cpu">>) -> ()
    %0 = plan.view %pool_1 : memref<1x2x2x2xf32, #dev.on<"cpu">> -> memref<1x8xf32, #dev.on<"cpu">>
    func.call @linear(%0, %fc_weight, %fc_bias, %fc) : (memref<1x8xf32, #dev.on<"cpu">>, memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>, memref<3xf32, #dev.on<"cpu">>, memref<1x3xf32, #dev.on<"cpu">>) -> ()
    func.call @reduce_max_sub_exp_more(%fc, %probabilities, %label) : (memref<1x3xf32, #dev.on<"cpu">>, memref<1x3xf32, #dev.on<"cpu">>, memref<1xi64, #dev.on<"cpu">>) -> ()
    func.return
  }
}
