// RUN: devproc-opt %s -t llvm-ir | filecheck %s

// The end of the story in MLIR: the target prints the CPU's part as LLVM IR.

// CHECK: define internal void @linear(ptr {{.*}}noalias
// CHECK: call <4 x float> @llvm.fma.v4f32
// CHECK: define void @segment_0_entry(ptr
// CHECK: define void @segment_1_entry(ptr

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
  llvm.func internal @resample(%0: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 24 : i64}, %1: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 72 : i64}, %image: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 48 : i64}, %2: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 36 : i64}) attributes {no_unwind} {
    %3 = llvm.mlir.constant(dense<2097152> : vector<4xi32>) : vector<4xi32>
    %4 = llvm.mlir.constant(dense<1> : vector<4xi8>) : vector<4xi8>
    %5 = llvm.mlir.constant(dense<true> : vector<4xi1>) : vector<4xi1>
    %6 = llvm.mlir.constant(dense<22> : vector<4xi32>) : vector<4xi32>
    %7 = llvm.mlir.constant(dense<0> : vector<4xi32>) : vector<4xi32>
    %8 = llvm.mlir.constant(dense<255> : vector<4xi32>) : vector<4xi32>
    %9 = llvm.mlir.constant(dense<[true, true, false, false]> : vector<4xi1>) : vector<4xi1>
    %10 = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    %11 = llvm.mlir.constant(0) : i64
    %12 = llvm.mlir.constant(6) : i64
    %13 = llvm.mlir.constant(1) : i64
    %14 = llvm.mlir.constant(3) : i64
    %15 = llvm_ext.mlir.poison : vector<4xi64>
    llvm.br ^bb1(%11 : i64)
  ^bb1(%16: i64):
    %17 = llvm_ext.getelementptr %image[%16] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x i8>
    llvm.br ^bb2(%11, %3 : i64, vector<4xi32>)
  ^bb2(%18: i64, %19: vector<4xi32>):
    %20 = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %21 = llvm_ext.getelementptr %1[%18] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %22 = llvm.load %21 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %23 = llvm_ext.getelementptr %21[4] : (!llvm.ptr) -> !llvm.ptr, i32
    %24 = llvm.load %23 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %25 = llvm_ext.getelementptr %21[6] : (!llvm.ptr) -> !llvm.ptr, i32
    %26 = llvm.load %25 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %27 = llvm.shufflevector %22, %24 [0, 3, 6, 0] : vector<4xi32>
    %28 = llvm.shufflevector %27, %26 [0, 1, 2, 7] : vector<4xi32>
    %29 = llvm.sext %20 : vector<4xi32> to vector<4xi64>
    %30 = llvm.insertelement %18, %15[%11 : i64] : vector<4xi64>
    %31 = llvm.shufflevector %30, %15 [0, 0, 0, 0] : vector<4xi64>
    %32 = llvm.add %29, %31 : vector<4xi64>
    %33 = llvm.trunc %32 : vector<4xi64> to vector<4xi32>
    %34 = llvm_ext.getelementptr %17[%33] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, i8
    %35 = llvm_ext.intr.masked.gather %34, %5, %4 {alignment = 1 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xi8>) -> vector<4xi8>
    %36 = llvm.zext %35 : vector<4xi8> to vector<4xi32>
    %37 = llvm.mul %36, %28 : vector<4xi32>
    %38 = llvm.add %19, %37 : vector<4xi32>
    %39 = llvm.add %18, %13 overflow<nsw> : i64
    %40 = llvm.icmp "slt" %39, %14 : i64
    llvm.cond_br %40, ^bb2(%39, %38 : i64, vector<4xi32>), ^bb3(%38 : vector<4xi32>)
  ^bb3(%41: vector<4xi32>):
    %42 = llvm.ashr %41, %6 : vector<4xi32>
    %43 = llvm_ext.intr.smax(%42, %7) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %44 = llvm_ext.intr.smin(%43, %8) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %45 = llvm.trunc %44 : vector<4xi32> to vector<4xi8>
    %46 = llvm_ext.getelementptr %2[%16] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<6 x i8>
    llvm.store %45, %46 {alignment = 1 : i64} : vector<4xi8>, !llvm.ptr
    llvm.br ^bb4(%11, %3 : i64, vector<4xi32>)
  ^bb4(%47: i64, %48: vector<4xi32>):
    %49 = llvm_ext.getelementptr %0[4] : (!llvm.ptr) -> !llvm.ptr, i32
    %50 = llvm_ext.intr.masked.load %49, %9, %10 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
    %51 = llvm_ext.getelementptr %1[%47] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %52 = llvm_ext.getelementptr %51[12] : (!llvm.ptr) -> !llvm.ptr, i32
    %53 = llvm.load %52 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %54 = llvm.shufflevector %53, %53 [0, 3, 0, 0] : vector<4xi32>
    %55 = llvm.sext %50 : vector<4xi32> to vector<4xi64>
    %56 = llvm.insertelement %47, %15[%11 : i64] : vector<4xi64>
    %57 = llvm.shufflevector %56, %15 [0, 0, 0, 0] : vector<4xi64>
    %58 = llvm.add %55, %57 : vector<4xi64>
    %59 = llvm.trunc %58 : vector<4xi64> to vector<4xi32>
    %60 = llvm_ext.getelementptr %17[%59] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, i8
    %61 = llvm_ext.intr.masked.gather %60, %9, %4 {alignment = 1 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xi8>) -> vector<4xi8>
    %62 = llvm.zext %61 : vector<4xi8> to vector<4xi32>
    %63 = llvm.mul %62, %54 : vector<4xi32>
    %64 = llvm.add %48, %63 : vector<4xi32>
    %65 = llvm.add %47, %13 overflow<nsw> : i64
    %66 = llvm.icmp "slt" %65, %14 : i64
    llvm.cond_br %66, ^bb4(%65, %64 : i64, vector<4xi32>), ^bb5(%64 : vector<4xi32>)
  ^bb5(%67: vector<4xi32>):
    %68 = llvm.ashr %67, %6 : vector<4xi32>
    %69 = llvm_ext.intr.smax(%68, %7) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %70 = llvm_ext.intr.smin(%69, %8) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %71 = llvm.trunc %70 : vector<4xi32> to vector<4xi8>
    %72 = llvm_ext.getelementptr %46[4] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm_ext.intr.masked.store %71, %72, %9 {alignment = 1 : i32} : vector<4xi8>, vector<4xi1> into !llvm.ptr
    %73 = llvm.add %16, %13 overflow<nsw> : i64
    %74 = llvm.icmp "slt" %73, %12 : i64
    llvm.cond_br %74, ^bb1(%73 : i64), ^bb6
  ^bb6:
    llvm.return
  }
  llvm.func internal @cast_div_sub(%resize: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 36 : i64}, %75: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 144 : i64}) attributes {no_unwind} {
    %76 = llvm.mlir.constant(dense<2.550000e+02> : vector<4xf32>) : vector<4xf32>
    %77 = llvm.mlir.constant(dense<5.000000e-01> : vector<4xf32>) : vector<4xf32>
    %78 = llvm.mlir.constant(dense<2.500000e-01> : vector<4xf32>) : vector<4xf32>
    %79 = llvm.mlir.constant(0) : i64
    %80 = llvm.mlir.constant(32) : i64
    %81 = llvm.mlir.constant(8) : i64
    llvm.br ^bb1(%79 : i64)
  ^bb1(%82: i64):
    %83 = llvm_ext.getelementptr %resize[%82] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %84 = llvm.load %83 {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
    %85 = llvm_ext.uitofp %84 : vector<4xi8> to vector<4xf32>
    %86 = llvm.fdiv %85, %76 : vector<4xf32>
    %87 = llvm.fsub %86, %77 : vector<4xf32>
    %88 = llvm.fdiv %87, %78 : vector<4xf32>
    %89 = llvm_ext.getelementptr %83[4] : (!llvm.ptr) -> !llvm.ptr, i8
    %90 = llvm.load %89 {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
    %91 = llvm_ext.uitofp %90 : vector<4xi8> to vector<4xf32>
    %92 = llvm.fdiv %91, %76 : vector<4xf32>
    %93 = llvm.fsub %92, %77 : vector<4xf32>
    %94 = llvm.fdiv %93, %78 : vector<4xf32>
    %95 = llvm_ext.getelementptr %75[%82] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %88, %95 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    %96 = llvm_ext.getelementptr %95[4] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store %94, %96 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    %97 = llvm.add %82, %81 overflow<nsw> : i64
    %98 = llvm.icmp "slt" %97, %80 : i64
    llvm.cond_br %98, ^bb1(%97 : i64), ^bb2
  ^bb2:
    %99 = llvm_ext.getelementptr %resize[32] : (!llvm.ptr) -> !llvm.ptr, i8
    %100 = llvm.load %99 {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
    %101 = llvm_ext.uitofp %100 : vector<4xi8> to vector<4xf32>
    %102 = llvm.fdiv %101, %76 : vector<4xf32>
    %103 = llvm.fsub %102, %77 : vector<4xf32>
    %104 = llvm.fdiv %103, %78 : vector<4xf32>
    %105 = llvm_ext.getelementptr %75[32] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store %104, %105 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    llvm.return
  }
  triton.func @conv2d_relu(%106: !triton.ptr<f32>, %107: !triton.ptr<f32>, %conv_bias: !triton.ptr<f32>, %108: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 3 : i32, dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>} {
    %109 = arith.constant 48 : i32
    %110 = arith.constant 0 : i32
    %111 = arith.constant 4 : i32
    %112 = arith.constant 6 : i32
    %113 = arith.constant 3 : i32
    %114 = arith.constant 16 : i32
    %115 = arith.constant 0.000000e+00 : f32
    %116 = arith.constant 2 : i32
    %lanes = triton.arange : tensor<16xi32>
    %m = triton.expand_dims %lanes axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %n = triton.expand_dims %lanes axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %117 = triton.splat %116 : i32 -> tensor<1x16xi32>
    %in_n = triton.compare "slt" %n, %117 : tensor<1x16xi32> -> tensor<1x16xi1>
    %118 = triton.splat %115 : f32 -> tensor<16x16xf32>
    %119 = triton.splat %113 : i32 -> tensor<1x16xi32>
    %in_c = triton.compare "slt" %n, %119 : tensor<1x16xi32> -> tensor<1x16xi1>
    %120 = triton.splat %111 : i32 -> tensor<16x1xi32>
    %121 = arith.divsi %m, %120 : tensor<16x1xi32>
    %122 = triton.splat %112 : i32 -> tensor<16x1xi32>
    %123 = arith.muli %121, %122 : tensor<16x1xi32>
    %124 = triton.broadcast %123 : tensor<16x1xi32> -> tensor<16x16xi32>
    %125 = arith.remsi %m, %120 : tensor<16x1xi32>
    %126 = triton.broadcast %125 : tensor<16x1xi32> -> tensor<16x16xi32>
    %127 = triton.broadcast %in_c : tensor<1x16xi1> -> tensor<16x16xi1>
    %128 = triton.splat %113 : i32 -> tensor<16x1xi32>
    %in_c_1 = triton.compare "slt" %m, %128 : tensor<16x1xi32> -> tensor<16x1xi1>
    %129 = triton.splat %116 : i32 -> tensor<16x1xi32>
    %130 = arith.muli %m, %129 : tensor<16x1xi32>
    %131 = triton.broadcast %n : tensor<1x16xi32> -> tensor<16x16xi32>
    %132 = triton.broadcast %in_c_1 : tensor<16x1xi1> -> tensor<16x16xi1>
    %133 = triton.broadcast %in_n : tensor<1x16xi1> -> tensor<16x16xi1>
    %134 = arith.andi %132, %133 : tensor<16x16xi1>
    %135 = scf.for %k = %110 to %109 step %114 iter_args(%acc = %118) -> (tensor<16x16xf32>) : i32 {
      %136 = arith.divsi %k, %114 : i32
      %137 = arith.muli %136, %112 : i32
      %138 = triton.splat %137 : i32 -> tensor<1x16xi32>
      %139 = arith.addi %138, %n : tensor<1x16xi32>
      %140 = triton.broadcast %139 : tensor<1x16xi32> -> tensor<16x16xi32>
      %141 = arith.addi %140, %124 : tensor<16x16xi32>
      %142 = arith.addi %141, %126 : tensor<16x16xi32>
      %143 = triton.addptr %106, %142 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
      %144 = triton.load %143 mask %127 : tensor<16x16xi1> other %118 : tensor<16x16xf32> : tensor<16x16x!triton.ptr<f32>> -> tensor<16x16xf32>
      %145 = triton.splat %137 : i32 -> tensor<16x1xi32>
      %146 = arith.addi %145, %130 : tensor<16x1xi32>
      %147 = triton.broadcast %146 : tensor<16x1xi32> -> tensor<16x16xi32>
      %148 = arith.addi %147, %131 : tensor<16x16xi32>
      %149 = triton.addptr %107, %148 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
      %150 = triton.load %149 mask %134 : tensor<16x16xi1> other %118 : tensor<16x16xf32> : tensor<16x16x!triton.ptr<f32>> -> tensor<16x16xf32>
      %acc_1 = triton.dot %144, %150, %acc "tf32x3" : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
      scf.yield %acc_1 : tensor<16x16xf32>
    }
    %151 = triton.addptr %conv_bias, %n : !triton.ptr<f32>, tensor<1x16xi32> -> tensor<1x16x!triton.ptr<f32>>
    %152 = triton.splat %115 : f32 -> tensor<1x16xf32>
    %conv_bias_1 = triton.load %151 mask %in_n : tensor<1x16xi1> other %152 : tensor<1x16xf32> : tensor<1x16x!triton.ptr<f32>> -> tensor<1x16xf32>
    %153 = triton.broadcast %conv_bias_1 : tensor<1x16xf32> -> tensor<16x16xf32>
    %154 = arith.addf %135, %153 : tensor<16x16xf32>
    %155 = arith.maximumf %154, %118 : tensor<16x16xf32>
    %156 = triton.broadcast %130 : tensor<16x1xi32> -> tensor<16x16xi32>
    %157 = arith.addi %156, %131 : tensor<16x16xi32>
    %158 = triton.addptr %108, %157 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    triton.store %158, %155 mask %133 : tensor<16x16xi1> : tensor<16x16x!triton.ptr<f32>>, tensor<16x16xf32>
    triton.return
  }
  triton.func @max_pool2d(%relu: !triton.ptr<f32>, %106: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 1 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "window", ["nn.max_pool2d"]>} {
    %107 = arith.constant 10 : i32
    %108 = arith.constant 8 : i32
    %109 = arith.constant 4 : i32
    %110 = arith.constant 16 : i32
    %111 = arith.constant 2 : i32
    %112 = arith.constant 0xff800000 : f32
    %lanes = triton.arange : tensor<4xi32>
    %pixel = triton.expand_dims %lanes axis 1 : tensor<4xi32> -> tensor<4x1xi32>
    %lanes_1 = triton.arange : tensor<2xi32>
    %c = triton.expand_dims %lanes_1 axis 0 : tensor<2xi32> -> tensor<1x2xi32>
    %113 = triton.splat %112 : f32 -> tensor<4x2xf32>
    %114 = triton.splat %111 : i32 -> tensor<4x1xi32>
    %115 = arith.divsi %pixel, %114 : tensor<4x1xi32>
    %116 = triton.splat %110 : i32 -> tensor<4x1xi32>
    %117 = arith.muli %115, %116 : tensor<4x1xi32>
    %118 = arith.remsi %pixel, %114 : tensor<4x1xi32>
    %119 = triton.splat %109 : i32 -> tensor<4x1xi32>
    %120 = arith.muli %118, %119 : tensor<4x1xi32>
    %121 = arith.addi %117, %120 : tensor<4x1xi32>
    %122 = triton.broadcast %121 : tensor<4x1xi32> -> tensor<4x2xi32>
    %123 = triton.broadcast %c : tensor<1x2xi32> -> tensor<4x2xi32>
    %124 = arith.addi %122, %123 : tensor<4x2xi32>
    %125 = triton.addptr %relu, %124 : !triton.ptr<f32>, tensor<4x2xi32> -> tensor<4x2x!triton.ptr<f32>>
    %relu_1 = triton.load %125 : tensor<4x2x!triton.ptr<f32>> -> tensor<4x2xf32>
    %126 = arith.maximumf %relu_1, %113 : tensor<4x2xf32>
    %127 = arith.addi %117, %114 : tensor<4x1xi32>
    %128 = arith.addi %127, %120 : tensor<4x1xi32>
    %129 = triton.broadcast %128 : tensor<4x1xi32> -> tensor<4x2xi32>
    %130 = arith.addi %129, %123 : tensor<4x2xi32>
    %131 = triton.addptr %relu, %130 : !triton.ptr<f32>, tensor<4x2xi32> -> tensor<4x2x!triton.ptr<f32>>
    %relu_2 = triton.load %131 : tensor<4x2x!triton.ptr<f32>> -> tensor<4x2xf32>
    %132 = arith.maximumf %relu_2, %126 : tensor<4x2xf32>
    %133 = triton.splat %108 : i32 -> tensor<4x1xi32>
    %134 = arith.addi %117, %133 : tensor<4x1xi32>
    %135 = arith.addi %134, %120 : tensor<4x1xi32>
    %136 = triton.broadcast %135 : tensor<4x1xi32> -> tensor<4x2xi32>
    %137 = arith.addi %136, %123 : tensor<4x2xi32>
    %138 = triton.addptr %relu, %137 : !triton.ptr<f32>, tensor<4x2xi32> -> tensor<4x2x!triton.ptr<f32>>
    %relu_3 = triton.load %138 : tensor<4x2x!triton.ptr<f32>> -> tensor<4x2xf32>
    %139 = arith.maximumf %relu_3, %132 : tensor<4x2xf32>
    %140 = triton.splat %107 : i32 -> tensor<4x1xi32>
    %141 = arith.addi %117, %140 : tensor<4x1xi32>
    %142 = arith.addi %141, %120 : tensor<4x1xi32>
    %143 = triton.broadcast %142 : tensor<4x1xi32> -> tensor<4x2xi32>
    %144 = arith.addi %143, %123 : tensor<4x2xi32>
    %145 = triton.addptr %relu, %144 : !triton.ptr<f32>, tensor<4x2xi32> -> tensor<4x2x!triton.ptr<f32>>
    %relu_4 = triton.load %145 : tensor<4x2x!triton.ptr<f32>> -> tensor<4x2xf32>
    %146 = arith.maximumf %relu_4, %139 : tensor<4x2xf32>
    %147 = arith.muli %pixel, %114 : tensor<4x1xi32>
    %148 = triton.broadcast %147 : tensor<4x1xi32> -> tensor<4x2xi32>
    %149 = arith.addi %148, %123 : tensor<4x2xi32>
    %150 = triton.addptr %106, %149 : !triton.ptr<f32>, tensor<4x2xi32> -> tensor<4x2x!triton.ptr<f32>>
    triton.store %150, %146 : tensor<4x2x!triton.ptr<f32>>, tensor<4x2xf32>
    triton.return
  }
  llvm.func internal @transpose(%pool: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}, %106: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}) attributes {no_unwind} {
    %107 = llvm.mlir.constant(0) : i64
    %108 = llvm.mlir.constant(2) : i64
    %109 = llvm.mlir.constant(1) : i64
    %110 = llvm.mlir.constant(16) : i64
    llvm.br ^bb1(%107, %107 : i64, i64)
  ^bb1(%111: i64, %112: i64):
    %113 = llvm_ext.getelementptr %pool[%111] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %114 = llvm.load %113 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %115 = llvm_ext.getelementptr %113[3] : (!llvm.ptr) -> !llvm.ptr, f32
    %116 = llvm.load %115 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %117 = llvm.shufflevector %114, %116 [0, 2, 5, 7] : vector<4xf32>
    %118 = llvm_ext.getelementptr %106[%112] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    llvm.store %117, %118 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    %119 = llvm.add %111, %109 overflow<nsw> : i64
    %120 = llvm.icmp "slt" %119, %108 : i64
    %121 = llvm.add %112, %110 : i64
    llvm.cond_br %120, ^bb1(%119, %121 : i64, i64), ^bb2
  ^bb2:
    llvm.return
  }
  llvm.func internal @linear(%flatten: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}, %fc_weight: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 128 : i64}, %fc_bias: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %122: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}) attributes {no_unwind} {
    %123 = llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>) : vector<4xf32>
    %124 = llvm.mlir.constant(dense<[true, true, true, false]> : vector<4xi1>) : vector<4xi1>
    %125 = llvm.mlir.constant(0) : i64
    %126 = llvm.mlir.constant(8) : i64
    %127 = llvm.mlir.constant(4) : i64
    %128 = llvm_ext.mlir.poison : vector<4xf32>
    %129 = llvm.mlir.constant(64) : i64
    llvm.br ^bb1(%125, %123, %123, %123, %123, %125 : i64, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, i64)
  ^bb1(%130: i64, %131: vector<4xf32>, %132: vector<4xf32>, %133: vector<4xf32>, %134: vector<4xf32>, %135: i64):
    %136 = llvm_ext.getelementptr %fc_weight[%135] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %137 = llvm.load %136 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %138 = llvm_ext.getelementptr %flatten[%130] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %139 = llvm.load %138 {alignment = 4 : i64} : !llvm.ptr -> f32
    %140 = llvm.insertelement %139, %128[%125 : i64] : vector<4xf32>
    %141 = llvm.shufflevector %140, %128 [0, 0, 0, 0] : vector<4xf32>
    %142 = llvm.intr.fma(%141, %137, %131) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %143 = llvm_ext.getelementptr %136[4] : (!llvm.ptr) -> !llvm.ptr, f32
    %144 = llvm.load %143 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %145 = llvm_ext.getelementptr %138[1] : (!llvm.ptr) -> !llvm.ptr, f32
    %146 = llvm.load %145 {alignment = 4 : i64} : !llvm.ptr -> f32
    %147 = llvm.insertelement %146, %128[%125 : i64] : vector<4xf32>
    %148 = llvm.shufflevector %147, %128 [0, 0, 0, 0] : vector<4xf32>
    %149 = llvm.intr.fma(%148, %144, %132) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %150 = llvm_ext.getelementptr %136[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %151 = llvm.load %150 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %152 = llvm_ext.getelementptr %138[2] : (!llvm.ptr) -> !llvm.ptr, f32
    %153 = llvm.load %152 {alignment = 4 : i64} : !llvm.ptr -> f32
    %154 = llvm.insertelement %153, %128[%125 : i64] : vector<4xf32>
    %155 = llvm.shufflevector %154, %128 [0, 0, 0, 0] : vector<4xf32>
    %156 = llvm.intr.fma(%155, %151, %133) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %157 = llvm_ext.getelementptr %136[12] : (!llvm.ptr) -> !llvm.ptr, f32
    %158 = llvm.load %157 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %159 = llvm_ext.getelementptr %138[3] : (!llvm.ptr) -> !llvm.ptr, f32
    %160 = llvm.load %159 {alignment = 4 : i64} : !llvm.ptr -> f32
    %161 = llvm.insertelement %160, %128[%125 : i64] : vector<4xf32>
    %162 = llvm.shufflevector %161, %128 [0, 0, 0, 0] : vector<4xf32>
    %163 = llvm.intr.fma(%162, %158, %134) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %164 = llvm.add %130, %127 overflow<nsw> : i64
    %165 = llvm.icmp "slt" %164, %126 : i64
    %166 = llvm.add %135, %129 : i64
    llvm.cond_br %165, ^bb1(%164, %142, %149, %156, %163, %166 : i64, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, i64), ^bb2(%142, %149, %156, %163 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
  ^bb2(%167: vector<4xf32>, %168: vector<4xf32>, %169: vector<4xf32>, %170: vector<4xf32>):
    %171 = llvm.fadd %167, %168 : vector<4xf32>
    %172 = llvm.fadd %171, %169 : vector<4xf32>
    %173 = llvm.fadd %172, %170 : vector<4xf32>
    %174 = llvm_ext.intr.masked.load %fc_bias, %124, %123 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %175 = llvm.fadd %173, %174 : vector<4xf32>
    llvm_ext.intr.masked.store %175, %122, %124 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    llvm.return
  }
  llvm.func internal @reduce_max_sub_exp_more(%fc: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %176: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %177: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 8 : i64}) attributes {no_unwind} {
    %178 = llvm.mlir.constant(dense<-1.040000e+02> : vector<4xf32>) : vector<4xf32>
    %179 = llvm.mlir.constant(dense<8.900000e+01> : vector<4xf32>) : vector<4xf32>
    %180 = llvm.mlir.constant(dense<12582912.0> : vector<4xf32>) : vector<4xf32>
    %181 = llvm.mlir.constant(dense<1.44269502> : vector<4xf32>) : vector<4xf32>
    %182 = llvm.mlir.constant(dense<-0.693145752> : vector<4xf32>) : vector<4xf32>
    %183 = llvm.mlir.constant(dense<-1.42860677e-06> : vector<4xf32>) : vector<4xf32>
    %184 = llvm.mlir.constant(dense<0.000198909809> : vector<4xf32>) : vector<4xf32>
    %185 = llvm.mlir.constant(dense<0.00139336416> : vector<4xf32>) : vector<4xf32>
    %186 = llvm.mlir.constant(dense<0.00833331048> : vector<4xf32>) : vector<4xf32>
    %187 = llvm.mlir.constant(dense<0.0416664667> : vector<4xf32>) : vector<4xf32>
    %188 = llvm.mlir.constant(dense<0.166666672> : vector<4xf32>) : vector<4xf32>
    %189 = llvm.mlir.constant(dense<5.000000e-01> : vector<4xf32>) : vector<4xf32>
    %190 = llvm.mlir.constant(dense<1.000000e+00> : vector<4xf32>) : vector<4xf32>
    %191 = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    %192 = llvm.mlir.constant(dense<127> : vector<4xi32>) : vector<4xi32>
    %193 = llvm.mlir.constant(dense<23> : vector<4xi32>) : vector<4xi32>
    %194 = llvm.mlir.constant(0xff800000 : f32) : f32
    %195 = llvm.mlir.constant(0.000000e+00 : f32) : f32
    %196 = llvm_ext.mlir.poison : vector<4xf32>
    %197 = llvm.mlir.constant(0) : i64
    %198 = llvm.insertelement %194, %196[%197 : i64] : vector<4xf32>
    %199 = llvm.shufflevector %198, %196 [0, 0, 0, 0] : vector<4xf32>
    %200 = llvm.mlir.constant(dense<[true, true, true, false]> : vector<4xi1>) : vector<4xi1>
    %201 = llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>) : vector<4xf32>
    %202 = llvm.mlir.constant(dense<0> : vector<4xi64>) : vector<4xi64>
    %203 = llvm.mlir.constant(dense<9223372036854775807> : vector<4xi64>) : vector<4xi64>
    %204 = llvm.mlir.constant(-0.000000e+00 : f32) : f32
    %205 = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi64>) : vector<4xi64>
    %206 = llvm_ext.intr.masked.load %fc, %200, %201 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %207 = llvm_ext.intr.maximum(%206, %199) {fastmathFlags = #llvm.fastmath<nsz>} : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %208 = llvm_ext.select %200, %207, %199 : vector<4xi1>, vector<4xf32>
    %209 = llvm_ext.intr.vector.reduce.fmaximum(%208) {fastmathFlags = #llvm.fastmath<reassoc>} : (vector<4xf32>) -> f32
    %210 = llvm_ext.intr.maximum(%194, %209) {fastmathFlags = #llvm.fastmath<nsz>} : (f32, f32) -> f32
    %211 = llvm_ext.intr.masked.load %fc, %200, %201 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %212 = llvm.insertelement %210, %196[%197 : i64] : vector<4xf32>
    %213 = llvm.shufflevector %212, %196 [0, 0, 0, 0] : vector<4xf32>
    %214 = llvm.fsub %211, %213 : vector<4xf32>
    %215 = llvm_ext.fcmp "olt" %214, %178 : vector<4xf32>
    %216 = llvm_ext.select %215, %178, %214 : vector<4xi1>, vector<4xf32>
    %217 = llvm_ext.fcmp "ogt" %216, %179 : vector<4xf32>
    %218 = llvm_ext.select %217, %179, %216 : vector<4xi1>, vector<4xf32>
    %219 = llvm.intr.fma(%218, %181, %180) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %220 = llvm.bitcast %219 : vector<4xf32> to vector<4xi32>
    %221 = llvm.bitcast %180 : vector<4xf32> to vector<4xi32>
    %222 = llvm.sub %220, %221 : vector<4xi32>
    %223 = llvm.fsub %219, %180 : vector<4xf32>
    %224 = llvm.intr.fma(%223, %182, %218) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %225 = llvm.intr.fma(%223, %183, %224) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %226 = llvm.intr.fma(%184, %225, %185) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %227 = llvm.intr.fma(%226, %225, %186) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %228 = llvm.intr.fma(%227, %225, %187) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %229 = llvm.intr.fma(%228, %225, %188) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %230 = llvm.intr.fma(%229, %225, %189) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %231 = llvm.fmul %225, %225 : vector<4xf32>
    %232 = llvm.intr.fma(%231, %230, %225) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %233 = llvm.fadd %232, %190 : vector<4xf32>
    %234 = llvm.ashr %222, %191 : vector<4xi32>
    %235 = llvm.sub %222, %234 : vector<4xi32>
    %236 = llvm.add %234, %192 : vector<4xi32>
    %237 = llvm.shl %236, %193 : vector<4xi32>
    %238 = llvm.bitcast %237 : vector<4xi32> to vector<4xf32>
    %239 = llvm.fmul %233, %238 : vector<4xf32>
    %240 = llvm.add %235, %192 : vector<4xi32>
    %241 = llvm.shl %240, %193 : vector<4xi32>
    %242 = llvm.bitcast %241 : vector<4xi32> to vector<4xf32>
    %243 = llvm.fmul %239, %242 : vector<4xf32>
    llvm_ext.intr.masked.store %243, %176, %200 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    %244 = llvm.fadd %201, %243 : vector<4xf32>
    %245 = llvm_ext.select %200, %244, %201 : vector<4xi1>, vector<4xf32>
    %246 = "llvm.intr.vector.reduce.fadd"(%204, %245) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<4xf32>) -> f32
    %247 = llvm.fadd %195, %246 : f32
    %248 = llvm_ext.intr.masked.load %176, %200, %201 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %249 = llvm.insertelement %247, %196[%197 : i64] : vector<4xf32>
    %250 = llvm.shufflevector %249, %196 [0, 0, 0, 0] : vector<4xf32>
    %251 = llvm.fdiv %248, %250 : vector<4xf32>
    llvm_ext.intr.masked.store %251, %176, %200 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    %252 = llvm_ext.fcmp "ugt" %251, %199 : vector<4xf32>
    %253 = llvm_ext.fcmp "ord" %199, %199 : vector<4xf32>
    %254 = llvm.and %252, %253 : vector<4xi1>
    %255 = llvm.add %202, %205 : vector<4xi64>
    %256 = llvm_ext.select %254, %251, %199 : vector<4xi1>, vector<4xf32>
    %257 = llvm_ext.select %254, %255, %202 : vector<4xi1>, vector<4xi64>
    %258 = llvm_ext.select %200, %256, %199 : vector<4xi1>, vector<4xf32>
    %259 = llvm_ext.select %200, %257, %202 : vector<4xi1>, vector<4xi64>
    %260 = llvm_ext.intr.vector.reduce.fmaximum(%258) {fastmathFlags = #llvm.fastmath<reassoc>} : (vector<4xf32>) -> f32
    %261 = llvm.insertelement %260, %196[%197 : i64] : vector<4xf32>
    %262 = llvm.shufflevector %261, %196 [0, 0, 0, 0] : vector<4xf32>
    %263 = llvm_ext.fcmp "oeq" %258, %262 : vector<4xf32>
    %264 = llvm_ext.fcmp "uno" %258, %258 : vector<4xf32>
    %265 = llvm.or %263, %264 : vector<4xi1>
    %266 = llvm_ext.select %265, %259, %203 : vector<4xi1>, vector<4xi64>
    %267 = llvm_ext.intr.vector.reduce.smin(%266) : (vector<4xi64>) -> i64
    llvm.store %267, %177 {alignment = 8 : i64} : i64, !llvm.ptr
    llvm.return
  }
  llvm.func internal @segment_0(%268: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 24 : i64}, %269: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 72 : i64}, %image_1: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 48 : i64}, %resize_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 36 : i64}, %normalize: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 144 : i64}) attributes {no_unwind} {
    llvm.call @resample(%268, %269, %image_1, %resize_1) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.call @cast_div_sub(%resize_1, %normalize) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @segment_0_entry(%table: !llvm.ptr) attributes {no_unwind} {
    %270 = llvm.load %table {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %271 = llvm_ext.getelementptr %table[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %272 = llvm.load %271 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %273 = llvm_ext.getelementptr %table[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %274 = llvm.load %273 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %275 = llvm_ext.getelementptr %table[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %276 = llvm.load %275 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %277 = llvm_ext.getelementptr %table[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %278 = llvm.load %277 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    llvm.call @segment_0(%270, %272, %274, %276, %278) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func internal @segment_1(%pool_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}, %fc_weight_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 128 : i64}, %fc_bias_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %pool_2: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}, %fc_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %probabilities: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %label: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 8 : i64}) attributes {no_unwind} {
    llvm.call @transpose(%pool_1, %pool_2) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.call @linear(%pool_2, %fc_weight_1, %fc_bias_1, %fc_1) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.call @reduce_max_sub_exp_more(%fc_1, %probabilities, %label) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @segment_1_entry(%table_1: !llvm.ptr) attributes {no_unwind} {
    %279 = llvm.load %table_1 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %280 = llvm_ext.getelementptr %table_1[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %281 = llvm.load %280 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %282 = llvm_ext.getelementptr %table_1[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %283 = llvm.load %282 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %284 = llvm_ext.getelementptr %table_1[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %285 = llvm.load %284 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %286 = llvm_ext.getelementptr %table_1[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %287 = llvm.load %286 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %288 = llvm_ext.getelementptr %table_1[5] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %289 = llvm.load %288 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %290 = llvm_ext.getelementptr %table_1[6] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %291 = llvm.load %290 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    llvm.call @segment_1(%279, %281, %283, %285, %287, %289, %291) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
}
