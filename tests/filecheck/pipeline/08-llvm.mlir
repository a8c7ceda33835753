// RUN: devproc-opt %s -t llvm-ir | filecheck %s

// The end of the story in MLIR: the target prints the CPU's part as LLVM IR.

// CHECK: define internal void @linear(ptr {{.*}}noalias
// CHECK: call <4 x float> @llvm.fma.v4f32
// CHECK: define void @segment_0_entry(ptr
// CHECK: define void @segment_1_entry(ptr

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
    plan.launch @segment_0(%0, %1, %image) -> (%resize, %normalize) {plan.step = 0 : i64, plan.last_step = 1 : i64} : (memref<6xi32, #dev.on<"cpu">>, memref<6x3xi32, #dev.on<"cpu">>, memref<6x8xi8, #dev.on<"cpu">>) -> (memref<6x6xi8, #dev.on<"cpu">>, memref<6x6xf32, #dev.on<"cpu">>)
    %layout_1 = plan.view %normalize : memref<6x6xf32, #dev.on<"cpu">> -> memref<1x1x6x6xf32, #dev.on<"cpu">>
    plan.copy %layout_1 to %layout {plan.step = 2 : i64} : memref<1x1x6x6xf32, #dev.on<"cpu">> to memref<1x1x6x6xf32, #dev.on<"cuda">>
    plan.launch @conv2d_relu(%layout, %conv_weight, %conv_bias) -> (%relu) {plan.step = 3 : i64} : (memref<1x1x6x6xf32, #dev.on<"cuda">>, memref<2x1x3x3xf32, #dev.on<"cuda">>, memref<2xf32, #dev.on<"cuda">>) -> (memref<1x2x4x4xf32, #dev.on<"cuda">>)
    plan.launch @max_pool2d(%relu) -> (%pool_1) {plan.step = 4 : i64} : (memref<1x2x4x4xf32, #dev.on<"cuda">>) -> (memref<1x2x2x2xf32, #dev.on<"cuda">>)
    plan.copy %pool_1 to %pool {plan.step = 5 : i64} : memref<1x2x2x2xf32, #dev.on<"cuda">> to memref<1x2x2x2xf32, #dev.on<"cpu">>
    dev.sync "cuda" {plan.step = 6 : i64}
    %fc_weight = plan.weight @prepare.2 hash "af96e8a35b17df3f" : memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>
    plan.launch @segment_1(%pool, %fc_weight, %fc_bias) -> (%fc, %probabilities, %label) {plan.step = 7 : i64, plan.last_step = 8 : i64} : (memref<1x2x2x2xf32, #dev.on<"cpu">>, memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>, memref<3xf32, #dev.on<"cpu">>) -> (memref<1x3xf32, #dev.on<"cpu">>, memref<1x3xf32, #dev.on<"cpu">>, memref<1xi64, #dev.on<"cpu">>)
    func.return
  }
  func.func private @prepare() -> (tensor<6xi32>, tensor<6x3xi32>, tensor<1x8x4xf32>) {
    %0, %1 = nn.resample_taps 8 to 6 mode "bilinear" like "pillow" as "int32" : tensor<6xi32>, tensor<6x3xi32>
    %2 = nn.weight @model.fc.weight hash "a9a97e5b7d1c8b55" : tensor<3x8xf32>
    %3 = nn.pack %2 as <[0, 1], [4, 1]> : (tensor<3x8xf32>) -> tensor<1x8x4xf32>
    func.return %0, %1, %3 : tensor<6xi32>, tensor<6x3xi32>, tensor<1x8x4xf32>
  }
  llvm.func internal @resample(%0: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 24 : i64}, %1: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 72 : i64}, %image: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 48 : i64}, %2: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 36 : i64}) attributes {no_unwind} {
    %3 = llvm.mlir.constant(0) : i64
    %4 = llvm.mlir.constant(6) : i64
    %5 = llvm.mlir.constant(1) : i64
    %6 = llvm.mlir.constant(4) : i64
    %7 = llvm.mlir.constant(dense<2097152> : vector<4xi32>) : vector<4xi32>
    %8 = llvm.mlir.constant(3) : i64
    %9 = llvm.mlir.constant(dense<1> : vector<4xi8>) : vector<4xi8>
    %10 = llvm.mlir.constant(dense<true> : vector<4xi1>) : vector<4xi1>
    %11 = llvm.mlir.constant(dense<22> : vector<4xi32>) : vector<4xi32>
    %12 = llvm.mlir.constant(dense<0> : vector<4xi32>) : vector<4xi32>
    %13 = llvm.mlir.constant(dense<255> : vector<4xi32>) : vector<4xi32>
    %14 = llvm.mlir.constant(dense<[true, true, false, false]> : vector<4xi1>) : vector<4xi1>
    %15 = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    %16 = llvm.mlir.poison : vector<4xi64>
    llvm.br ^bb1(%3 : i64)
  ^bb1(%17: i64):
    llvm.br ^bb2(%3, %7 : i64, vector<4xi32>)
  ^bb2(%18: i64, %19: vector<4xi32>):
    %20 = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %21 = llvm.getelementptr inbounds %1[0, %18] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i32>
    %22 = llvm.load %21 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %23 = llvm.add %18, %6 : i64
    %24 = llvm.getelementptr inbounds %1[0, %23] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i32>
    %25 = llvm.load %24 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %26 = llvm.add %18, %4 : i64
    %27 = llvm.getelementptr inbounds %1[0, %26] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i32>
    %28 = llvm.load %27 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %29 = llvm.shufflevector %22, %25 [0, 3, 6, 0] : vector<4xi32>
    %30 = llvm.shufflevector %29, %28 [0, 1, 2, 7] : vector<4xi32>
    %31 = llvm.sext %20 : vector<4xi32> to vector<4xi64>
    %32 = llvm.insertelement %18, %16[%3 : i64] : vector<4xi64>
    %33 = llvm.shufflevector %32, %16 [0, 0, 0, 0] : vector<4xi64>
    %34 = llvm.add %31, %33 : vector<4xi64>
    %35 = llvm.trunc %34 : vector<4xi64> to vector<4xi32>
    %36 = llvm.getelementptr %image[%17, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x i8>
    %37 = llvm.getelementptr %36[%35] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, i8
    %38 = llvm.intr.masked.gather %37, %10, %9 {alignment = 1 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xi8>) -> vector<4xi8>
    %39 = llvm.zext %38 : vector<4xi8> to vector<4xi32>
    %40 = llvm.mul %39, %30 : vector<4xi32>
    %41 = llvm.add %19, %40 : vector<4xi32>
    %42 = llvm.add %18, %5 overflow<nsw> : i64
    %43 = llvm.icmp "slt" %42, %8 : i64
    llvm.cond_br %43, ^bb2(%42, %41 : i64, vector<4xi32>), ^bb3(%41 : vector<4xi32>)
  ^bb3(%44: vector<4xi32>):
    %45 = llvm.ashr %44, %11 : vector<4xi32>
    %46 = llvm.intr.smax(%45, %12) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %47 = llvm.intr.smin(%46, %13) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %48 = llvm.trunc %47 : vector<4xi32> to vector<4xi8>
    %49 = llvm.getelementptr inbounds %2[%17, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<6 x i8>
    llvm.store %48, %49 {alignment = 1 : i64} : vector<4xi8>, !llvm.ptr
    llvm.br ^bb4(%3, %7 : i64, vector<4xi32>)
  ^bb4(%50: i64, %51: vector<4xi32>):
    %52 = llvm.getelementptr %0[4] : (!llvm.ptr) -> !llvm.ptr, i32
    %53 = llvm.intr.masked.load %52, %14, %15 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
    %54 = llvm.getelementptr inbounds %1[4, %50] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i32>
    %55 = llvm.load %54 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %56 = llvm.shufflevector %55, %55 [0, 3, 0, 0] : vector<4xi32>
    %57 = llvm.sext %53 : vector<4xi32> to vector<4xi64>
    %58 = llvm.insertelement %50, %16[%3 : i64] : vector<4xi64>
    %59 = llvm.shufflevector %58, %16 [0, 0, 0, 0] : vector<4xi64>
    %60 = llvm.add %57, %59 : vector<4xi64>
    %61 = llvm.trunc %60 : vector<4xi64> to vector<4xi32>
    %62 = llvm.getelementptr %image[%17, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x i8>
    %63 = llvm.getelementptr %62[%61] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, i8
    %64 = llvm.intr.masked.gather %63, %14, %9 {alignment = 1 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xi8>) -> vector<4xi8>
    %65 = llvm.zext %64 : vector<4xi8> to vector<4xi32>
    %66 = llvm.mul %65, %56 : vector<4xi32>
    %67 = llvm.add %51, %66 : vector<4xi32>
    %68 = llvm.add %50, %5 overflow<nsw> : i64
    %69 = llvm.icmp "slt" %68, %8 : i64
    llvm.cond_br %69, ^bb4(%68, %67 : i64, vector<4xi32>), ^bb5(%67 : vector<4xi32>)
  ^bb5(%70: vector<4xi32>):
    %71 = llvm.ashr %70, %11 : vector<4xi32>
    %72 = llvm.intr.smax(%71, %12) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %73 = llvm.intr.smin(%72, %13) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %74 = llvm.trunc %73 : vector<4xi32> to vector<4xi8>
    %75 = llvm.getelementptr %2[%17, 4] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<6 x i8>
    llvm.intr.masked.store %74, %75, %14 {alignment = 1 : i32} : vector<4xi8>, vector<4xi1> into !llvm.ptr
    %76 = llvm.add %17, %5 overflow<nsw> : i64
    %77 = llvm.icmp "slt" %76, %4 : i64
    llvm.cond_br %77, ^bb1(%76 : i64), ^bb6
  ^bb6:
    llvm.return
  }
  llvm.func internal @cast_div_sub(%resize: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 36 : i64}, %78: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 144 : i64}) attributes {no_unwind} {
    %79 = llvm.mlir.constant(0) : i64
    %80 = llvm.mlir.constant(32) : i64
    %81 = llvm.mlir.constant(8) : i64
    %82 = llvm.mlir.constant(4) : i64
    %83 = llvm.mlir.constant(dense<2.550000e+02> : vector<4xf32>) : vector<4xf32>
    %84 = llvm.mlir.constant(dense<5.000000e-01> : vector<4xf32>) : vector<4xf32>
    %85 = llvm.mlir.constant(dense<2.500000e-01> : vector<4xf32>) : vector<4xf32>
    llvm.br ^bb1(%79 : i64)
  ^bb1(%86: i64):
    %87 = llvm.add %86, %82 : i64
    %88 = llvm.getelementptr inbounds %resize[%86] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %89 = llvm.load %88 {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
    %90 = llvm.uitofp %89 : vector<4xi8> to vector<4xf32>
    %91 = llvm.fdiv %90, %83 : vector<4xf32>
    %92 = llvm.fsub %91, %84 : vector<4xf32>
    %93 = llvm.fdiv %92, %85 : vector<4xf32>
    %94 = llvm.getelementptr inbounds %resize[%87] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %95 = llvm.load %94 {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
    %96 = llvm.uitofp %95 : vector<4xi8> to vector<4xf32>
    %97 = llvm.fdiv %96, %83 : vector<4xf32>
    %98 = llvm.fsub %97, %84 : vector<4xf32>
    %99 = llvm.fdiv %98, %85 : vector<4xf32>
    %100 = llvm.getelementptr inbounds %78[%86] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %93, %100 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    %101 = llvm.getelementptr inbounds %78[%87] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %99, %101 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    %102 = llvm.add %86, %81 overflow<nsw> : i64
    %103 = llvm.icmp "slt" %102, %80 : i64
    llvm.cond_br %103, ^bb1(%102 : i64), ^bb2
  ^bb2:
    %104 = llvm.getelementptr inbounds %resize[32] : (!llvm.ptr) -> !llvm.ptr, i8
    %105 = llvm.load %104 {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
    %106 = llvm.uitofp %105 : vector<4xi8> to vector<4xf32>
    %107 = llvm.fdiv %106, %83 : vector<4xf32>
    %108 = llvm.fsub %107, %84 : vector<4xf32>
    %109 = llvm.fdiv %108, %85 : vector<4xf32>
    %110 = llvm.getelementptr inbounds %78[32] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store %109, %110 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    llvm.return
  }
  triton.func @conv2d_relu(%layout: !triton.ptr<f32>, %conv_weight: !triton.ptr<f32>, %conv_bias: !triton.ptr<f32>, %111: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>} {
    %112 = arith.constant 3 : i32
    %113 = arith.constant 6 : i32
    %114 = arith.constant 4 : i32
    %115 = arith.constant 16 : i32
    %116 = arith.constant 9 : i32
    %117 = arith.constant 0.000000e+00 : f32
    %118 = arith.constant 2 : i32
    %lanes = triton.arange : tensor<16xi32>
    %m = triton.expand_dims %lanes axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %n = triton.expand_dims %lanes axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %119 = triton.splat %118 : i32 -> tensor<1x16xi32>
    %in_n = triton.compare "slt" %n, %119 : tensor<1x16xi32> -> tensor<1x16xi1>
    %120 = triton.splat %117 : f32 -> tensor<16x16xf32>
    %121 = triton.splat %116 : i32 -> tensor<1x16xi32>
    %in_k = triton.compare "slt" %n, %121 : tensor<1x16xi32> -> tensor<1x16xi1>
    %122 = triton.splat %116 : i32 -> tensor<16x1xi32>
    %in_k_1 = triton.compare "slt" %m, %122 : tensor<16x1xi32> -> tensor<16x1xi1>
    %123 = triton.splat %115 : i32 -> tensor<16x1xi32>
    %124 = arith.divsi %m, %123 : tensor<16x1xi32>
    %125 = triton.splat %114 : i32 -> tensor<16x1xi32>
    %126 = arith.divsi %m, %125 : tensor<16x1xi32>
    %127 = triton.splat %113 : i32 -> tensor<16x1xi32>
    %128 = arith.muli %126, %127 : tensor<16x1xi32>
    %129 = arith.remsi %m, %125 : tensor<16x1xi32>
    %130 = arith.addi %128, %129 : tensor<16x1xi32>
    %131 = arith.divsi %n, %121 : tensor<1x16xi32>
    %132 = triton.splat %112 : i32 -> tensor<1x16xi32>
    %133 = arith.divsi %n, %132 : tensor<1x16xi32>
    %134 = triton.splat %113 : i32 -> tensor<1x16xi32>
    %135 = arith.muli %133, %134 : tensor<1x16xi32>
    %136 = triton.broadcast %130 : tensor<16x1xi32> -> tensor<16x16xi32>
    %137 = triton.broadcast %135 : tensor<1x16xi32> -> tensor<16x16xi32>
    %138 = arith.addi %136, %137 : tensor<16x16xi32>
    %139 = arith.remsi %n, %132 : tensor<1x16xi32>
    %140 = triton.broadcast %139 : tensor<1x16xi32> -> tensor<16x16xi32>
    %141 = arith.addi %138, %140 : tensor<16x16xi32>
    %142 = triton.addptr %layout, %141 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    %143 = triton.broadcast %in_k : tensor<1x16xi1> -> tensor<16x16xi1>
    %layout_1 = triton.load %142 mask %143 : tensor<16x16xi1> other %120 : tensor<16x16xf32> : tensor<16x16x!triton.ptr<f32>> -> tensor<16x16xf32>
    %144 = arith.muli %n, %121 : tensor<1x16xi32>
    %145 = triton.broadcast %m : tensor<16x1xi32> -> tensor<16x16xi32>
    %146 = triton.broadcast %144 : tensor<1x16xi32> -> tensor<16x16xi32>
    %147 = arith.addi %145, %146 : tensor<16x16xi32>
    %148 = triton.broadcast %in_k_1 : tensor<16x1xi1> -> tensor<16x16xi1>
    %149 = triton.broadcast %in_n : tensor<1x16xi1> -> tensor<16x16xi1>
    %150 = arith.andi %148, %149 : tensor<16x16xi1>
    %151 = triton.addptr %conv_weight, %147 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    %conv_weight_1 = triton.load %151 mask %150 : tensor<16x16xi1> other %120 : tensor<16x16xf32> : tensor<16x16x!triton.ptr<f32>> -> tensor<16x16xf32>
    %acc = triton.dot %layout_1, %conv_weight_1, %120 "ieee" : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %152 = triton.addptr %conv_bias, %n : !triton.ptr<f32>, tensor<1x16xi32> -> tensor<1x16x!triton.ptr<f32>>
    %153 = triton.splat %117 : f32 -> tensor<1x16xf32>
    %conv_bias_1 = triton.load %152 mask %in_n : tensor<1x16xi1> other %153 : tensor<1x16xf32> : tensor<1x16x!triton.ptr<f32>> -> tensor<1x16xf32>
    %154 = triton.broadcast %conv_bias_1 : tensor<1x16xf32> -> tensor<16x16xf32>
    %155 = arith.addf %acc, %154 : tensor<16x16xf32>
    %156 = arith.maximumf %155, %120 : tensor<16x16xf32>
    %157 = triton.splat %115 : i32 -> tensor<1x16xi32>
    %158 = arith.muli %n, %157 : tensor<1x16xi32>
    %159 = triton.broadcast %158 : tensor<1x16xi32> -> tensor<16x16xi32>
    %160 = arith.addi %145, %159 : tensor<16x16xi32>
    %161 = triton.addptr %111, %160 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    triton.store %161, %156 mask %149 : tensor<16x16xi1> : tensor<16x16x!triton.ptr<f32>>, tensor<16x16xf32>
    triton.return
  }
  triton.func @max_pool2d(%relu: !triton.ptr<f32>, %111: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "window", ["nn.max_pool2d"]>} {
    %112 = arith.constant 1 : i32
    %113 = arith.constant 0 : i32
    %114 = arith.constant 4 : i32
    %115 = arith.constant 8 : i32
    %116 = arith.constant 2 : i32
    %117 = arith.constant 0xff800000 : f32
    %lanes = triton.arange : tensor<8xi32>
    %118 = triton.splat %117 : f32 -> tensor<8xf32>
    %119 = triton.splat %116 : i32 -> tensor<8xi32>
    %120 = arith.divsi %lanes, %119 : tensor<8xi32>
    %121 = triton.splat %115 : i32 -> tensor<8xi32>
    %122 = arith.muli %120, %121 : tensor<8xi32>
    %123 = arith.remsi %lanes, %119 : tensor<8xi32>
    %124 = arith.muli %123, %119 : tensor<8xi32>
    %125 = arith.addi %122, %124 : tensor<8xi32>
    %126 = scf.for %k = %113 to %116 step %112 iter_args(%acc = %118) -> (tensor<8xf32>) : i32 {
      %127 = arith.muli %k, %114 : i32
      %128 = triton.splat %127 : i32 -> tensor<8xi32>
      %129 = arith.addi %125, %128 : tensor<8xi32>
      %130 = scf.for %k_1 = %113 to %116 step %112 iter_args(%acc_1 = %acc) -> (tensor<8xf32>) : i32 {
        %131 = triton.splat %k_1 : i32 -> tensor<8xi32>
        %132 = arith.addi %129, %131 : tensor<8xi32>
        %133 = triton.addptr %relu, %132 : !triton.ptr<f32>, tensor<8xi32> -> tensor<8x!triton.ptr<f32>>
        %relu_1 = triton.load %133 : tensor<8x!triton.ptr<f32>> -> tensor<8xf32>
        %134 = arith.maximumf %relu_1, %acc_1 : tensor<8xf32>
        scf.yield %134 : tensor<8xf32>
      }
      scf.yield %130 : tensor<8xf32>
    }
    %135 = triton.addptr %111, %lanes : !triton.ptr<f32>, tensor<8xi32> -> tensor<8x!triton.ptr<f32>>
    triton.store %135, %126 : tensor<8x!triton.ptr<f32>>, tensor<8xf32>
    triton.return
  }
  llvm.func internal @linear(%flatten: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}, %fc_weight: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 128 : i64}, %fc_bias: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %111: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}) attributes {no_unwind} {
    %112 = llvm.mlir.constant(0) : i64
    %113 = llvm.mlir.constant(1) : i64
    %114 = llvm.mlir.constant(4) : i64
    %115 = llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>) : vector<4xf32>
    %116 = llvm.mlir.constant(8) : i64
    %117 = llvm.mlir.constant(2) : i64
    %118 = llvm.mlir.constant(3) : i64
    %119 = llvm.mlir.constant(dense<[true, true, true, false]> : vector<4xi1>) : vector<4xi1>
    %120 = llvm.mlir.poison : vector<4xf32>
    llvm.br ^bb1(%112, %115, %115, %115, %115 : i64, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
  ^bb1(%121: i64, %122: vector<4xf32>, %123: vector<4xf32>, %124: vector<4xf32>, %125: vector<4xf32>):
    %126 = llvm.getelementptr inbounds %fc_weight[0, %121, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x !llvm.array<4 x f32>>
    %127 = llvm.load %126 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %128 = llvm.getelementptr inbounds %flatten[%121] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %129 = llvm.load %128 {alignment = 4 : i64} : !llvm.ptr -> f32
    %130 = llvm.insertelement %129, %120[%112 : i64] : vector<4xf32>
    %131 = llvm.shufflevector %130, %120 [0, 0, 0, 0] : vector<4xf32>
    %132 = llvm.intr.fma(%131, %127, %122) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %133 = llvm.add %121, %113 : i64
    %134 = llvm.getelementptr inbounds %fc_weight[0, %133, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x !llvm.array<4 x f32>>
    %135 = llvm.load %134 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %136 = llvm.getelementptr inbounds %flatten[%133] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %137 = llvm.load %136 {alignment = 4 : i64} : !llvm.ptr -> f32
    %138 = llvm.insertelement %137, %120[%112 : i64] : vector<4xf32>
    %139 = llvm.shufflevector %138, %120 [0, 0, 0, 0] : vector<4xf32>
    %140 = llvm.intr.fma(%139, %135, %123) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %141 = llvm.add %121, %117 : i64
    %142 = llvm.getelementptr inbounds %fc_weight[0, %141, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x !llvm.array<4 x f32>>
    %143 = llvm.load %142 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %144 = llvm.getelementptr inbounds %flatten[%141] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %145 = llvm.load %144 {alignment = 4 : i64} : !llvm.ptr -> f32
    %146 = llvm.insertelement %145, %120[%112 : i64] : vector<4xf32>
    %147 = llvm.shufflevector %146, %120 [0, 0, 0, 0] : vector<4xf32>
    %148 = llvm.intr.fma(%147, %143, %124) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %149 = llvm.add %121, %118 : i64
    %150 = llvm.getelementptr inbounds %fc_weight[0, %149, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x !llvm.array<4 x f32>>
    %151 = llvm.load %150 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %152 = llvm.getelementptr inbounds %flatten[%149] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %153 = llvm.load %152 {alignment = 4 : i64} : !llvm.ptr -> f32
    %154 = llvm.insertelement %153, %120[%112 : i64] : vector<4xf32>
    %155 = llvm.shufflevector %154, %120 [0, 0, 0, 0] : vector<4xf32>
    %156 = llvm.intr.fma(%155, %151, %125) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %157 = llvm.add %121, %114 overflow<nsw> : i64
    %158 = llvm.icmp "slt" %157, %116 : i64
    llvm.cond_br %158, ^bb1(%157, %132, %140, %148, %156 : i64, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>), ^bb2(%132, %140, %148, %156 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
  ^bb2(%159: vector<4xf32>, %160: vector<4xf32>, %161: vector<4xf32>, %162: vector<4xf32>):
    %163 = llvm.fadd %159, %160 : vector<4xf32>
    %164 = llvm.fadd %163, %161 : vector<4xf32>
    %165 = llvm.fadd %164, %162 : vector<4xf32>
    %166 = llvm.intr.masked.load %fc_bias, %119, %115 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %167 = llvm.fadd %165, %166 : vector<4xf32>
    llvm.intr.masked.store %167, %111, %119 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    llvm.return
  }
  llvm.func internal @reduce_max_sub_exp_more(%fc: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %168: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %169: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 8 : i64}) attributes {no_unwind} {
    %170 = llvm.mlir.constant(dense<-1.040000e+02> : vector<4xf32>) : vector<4xf32>
    %171 = llvm.mlir.constant(dense<8.900000e+01> : vector<4xf32>) : vector<4xf32>
    %172 = llvm.mlir.constant(dense<0x4B400000> : vector<4xf32>) : vector<4xf32>
    %173 = llvm.mlir.constant(dense<1.44269502> : vector<4xf32>) : vector<4xf32>
    %174 = llvm.mlir.constant(dense<-0.693145752> : vector<4xf32>) : vector<4xf32>
    %175 = llvm.mlir.constant(dense<-1.42860677e-06> : vector<4xf32>) : vector<4xf32>
    %176 = llvm.mlir.constant(dense<0.000198909809> : vector<4xf32>) : vector<4xf32>
    %177 = llvm.mlir.constant(dense<0.00139336416> : vector<4xf32>) : vector<4xf32>
    %178 = llvm.mlir.constant(dense<0.00833331048> : vector<4xf32>) : vector<4xf32>
    %179 = llvm.mlir.constant(dense<0.0416664667> : vector<4xf32>) : vector<4xf32>
    %180 = llvm.mlir.constant(dense<0.166666672> : vector<4xf32>) : vector<4xf32>
    %181 = llvm.mlir.constant(dense<5.000000e-01> : vector<4xf32>) : vector<4xf32>
    %182 = llvm.mlir.constant(dense<1.000000e+00> : vector<4xf32>) : vector<4xf32>
    %183 = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    %184 = llvm.mlir.constant(dense<127> : vector<4xi32>) : vector<4xi32>
    %185 = llvm.mlir.constant(dense<23> : vector<4xi32>) : vector<4xi32>
    %186 = llvm.mlir.constant(0) : i64
    %187 = llvm.mlir.poison : vector<4xf32>
    %188 = llvm.mlir.constant(0xff800000 : f32) : f32
    %189 = llvm.insertelement %188, %187[%186 : i64] : vector<4xf32>
    %190 = llvm.shufflevector %189, %187 [0, 0, 0, 0] : vector<4xf32>
    %191 = llvm.mlir.constant(dense<[true, true, true, false]> : vector<4xi1>) : vector<4xi1>
    %192 = llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>) : vector<4xf32>
    %193 = llvm.mlir.constant(dense<0> : vector<4xi64>) : vector<4xi64>
    %194 = llvm.mlir.constant(dense<9223372036854775807> : vector<4xi64>) : vector<4xi64>
    %195 = llvm.mlir.constant(0.000000e+00 : f32) : f32
    %196 = llvm.mlir.constant(-0.000000e+00 : f32) : f32
    %197 = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi64>) : vector<4xi64>
    %198 = llvm.intr.masked.load %fc, %191, %192 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %199 = llvm.intr.maximum(%198, %190) {fastmathFlags = #llvm.fastmath<nsz>} : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %200 = llvm.select %191, %199, %190 : vector<4xi1>, vector<4xf32>
    %201 = llvm.intr.vector.reduce.fmaximum(%200) {fastmathFlags = #llvm.fastmath<reassoc>} : (vector<4xf32>) -> f32
    %202 = llvm.intr.maximum(%188, %201) {fastmathFlags = #llvm.fastmath<nsz>} : (f32, f32) -> f32
    %203 = llvm.intr.masked.load %fc, %191, %192 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %204 = llvm.insertelement %202, %187[%186 : i64] : vector<4xf32>
    %205 = llvm.shufflevector %204, %187 [0, 0, 0, 0] : vector<4xf32>
    %206 = llvm.fsub %203, %205 : vector<4xf32>
    %207 = llvm.fcmp "olt" %206, %170 : vector<4xf32>
    %208 = llvm.select %207, %170, %206 : vector<4xi1>, vector<4xf32>
    %209 = llvm.fcmp "ogt" %208, %171 : vector<4xf32>
    %210 = llvm.select %209, %171, %208 : vector<4xi1>, vector<4xf32>
    %211 = llvm.intr.fma(%210, %173, %172) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %212 = llvm.bitcast %211 : vector<4xf32> to vector<4xi32>
    %213 = llvm.bitcast %172 : vector<4xf32> to vector<4xi32>
    %214 = llvm.sub %212, %213 : vector<4xi32>
    %215 = llvm.fsub %211, %172 : vector<4xf32>
    %216 = llvm.intr.fma(%215, %174, %210) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %217 = llvm.intr.fma(%215, %175, %216) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %218 = llvm.intr.fma(%176, %217, %177) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %219 = llvm.intr.fma(%218, %217, %178) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %220 = llvm.intr.fma(%219, %217, %179) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %221 = llvm.intr.fma(%220, %217, %180) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %222 = llvm.intr.fma(%221, %217, %181) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %223 = llvm.fmul %217, %217 : vector<4xf32>
    %224 = llvm.intr.fma(%223, %222, %217) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %225 = llvm.fadd %224, %182 : vector<4xf32>
    %226 = llvm.ashr %214, %183 : vector<4xi32>
    %227 = llvm.sub %214, %226 : vector<4xi32>
    %228 = llvm.add %226, %184 : vector<4xi32>
    %229 = llvm.shl %228, %185 : vector<4xi32>
    %230 = llvm.bitcast %229 : vector<4xi32> to vector<4xf32>
    %231 = llvm.fmul %225, %230 : vector<4xf32>
    %232 = llvm.add %227, %184 : vector<4xi32>
    %233 = llvm.shl %232, %185 : vector<4xi32>
    %234 = llvm.bitcast %233 : vector<4xi32> to vector<4xf32>
    %235 = llvm.fmul %231, %234 : vector<4xf32>
    llvm.intr.masked.store %235, %168, %191 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    %236 = llvm.fadd %192, %235 : vector<4xf32>
    %237 = llvm.select %191, %236, %192 : vector<4xi1>, vector<4xf32>
    %238 = "llvm.intr.vector.reduce.fadd"(%196, %237) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<4xf32>) -> f32
    %239 = llvm.fadd %195, %238 : f32
    %240 = llvm.intr.masked.load %168, %191, %192 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %241 = llvm.insertelement %239, %187[%186 : i64] : vector<4xf32>
    %242 = llvm.shufflevector %241, %187 [0, 0, 0, 0] : vector<4xf32>
    %243 = llvm.fdiv %240, %242 : vector<4xf32>
    llvm.intr.masked.store %243, %168, %191 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    %244 = llvm.fcmp "ugt" %243, %190 : vector<4xf32>
    %245 = llvm.fcmp "ord" %190, %190 : vector<4xf32>
    %246 = llvm.and %244, %245 : vector<4xi1>
    %247 = llvm.add %193, %197 : vector<4xi64>
    %248 = llvm.select %246, %243, %190 : vector<4xi1>, vector<4xf32>
    %249 = llvm.select %246, %247, %193 : vector<4xi1>, vector<4xi64>
    %250 = llvm.select %191, %248, %190 : vector<4xi1>, vector<4xf32>
    %251 = llvm.select %191, %249, %193 : vector<4xi1>, vector<4xi64>
    %252 = llvm.intr.vector.reduce.fmaximum(%250) {fastmathFlags = #llvm.fastmath<reassoc>} : (vector<4xf32>) -> f32
    %253 = llvm.insertelement %252, %187[%186 : i64] : vector<4xf32>
    %254 = llvm.shufflevector %253, %187 [0, 0, 0, 0] : vector<4xf32>
    %255 = llvm.fcmp "oeq" %250, %254 : vector<4xf32>
    %256 = llvm.fcmp "uno" %250, %250 : vector<4xf32>
    %257 = llvm.or %255, %256 : vector<4xi1>
    %258 = llvm.select %257, %251, %194 : vector<4xi1>, vector<4xi64>
    %259 = llvm.intr.vector.reduce.smin(%258) : (vector<4xi64>) -> i64
    llvm.store %259, %169 {alignment = 8 : i64} : i64, !llvm.ptr
    llvm.return
  }
  llvm.func internal @segment_0(%260: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 24 : i64}, %261: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 72 : i64}, %image_1: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 48 : i64}, %resize_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 36 : i64}, %normalize: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 144 : i64}) attributes {no_unwind} {
    llvm.call @resample(%260, %261, %image_1, %resize_1) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.call @cast_div_sub(%resize_1, %normalize) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @segment_0_entry(%table: !llvm.ptr) attributes {no_unwind} {
    %262 = llvm.load %table {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %263 = llvm.getelementptr inbounds %table[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %264 = llvm.load %263 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %265 = llvm.getelementptr inbounds %table[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %266 = llvm.load %265 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %267 = llvm.getelementptr inbounds %table[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %268 = llvm.load %267 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %269 = llvm.getelementptr inbounds %table[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %270 = llvm.load %269 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    llvm.call @segment_0(%262, %264, %266, %268, %270) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func internal @segment_1(%pool: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}, %fc_weight_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 128 : i64}, %fc_bias_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %fc_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %probabilities: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %label: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 8 : i64}) attributes {no_unwind} {
    llvm.call @linear(%pool, %fc_weight_1, %fc_bias_1, %fc_1) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.call @reduce_max_sub_exp_more(%fc_1, %probabilities, %label) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @segment_1_entry(%table_1: !llvm.ptr) attributes {no_unwind} {
    %271 = llvm.load %table_1 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %272 = llvm.getelementptr inbounds %table_1[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %273 = llvm.load %272 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %274 = llvm.getelementptr inbounds %table_1[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %275 = llvm.load %274 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %276 = llvm.getelementptr inbounds %table_1[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %277 = llvm.load %276 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %278 = llvm.getelementptr inbounds %table_1[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %279 = llvm.load %278 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %280 = llvm.getelementptr inbounds %table_1[5] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %281 = llvm.load %280 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    llvm.call @segment_1(%271, %273, %275, %277, %279, %281) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
}
