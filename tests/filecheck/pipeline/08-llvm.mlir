// RUN: devproc-opt %s -t llvm-ir | filecheck %s

// The end of the story in MLIR: the target prints the CPU's part as LLVM IR.

// CHECK: define internal void @linear(ptr {{.*}}noalias
// CHECK: call <4 x float> @llvm.fma.v4f32
// CHECK: define void @segment_0_entry(ptr
// CHECK: define void @segment_1_entry(ptr

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu+cuda", vector_bits = 128, threads = 1, precision = "default", arch = "sm_90", interpret = 1>, devproc.placement = [["nn.conv2d", "cuda"], ["nn.relu", "cuda"], ["nn.max_pool2d", "cuda"]], devproc.exactness = [{step = "resize", where = "unknown source", like = "pillow", mode = "bilinear", dtype = "uint8", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "PIL.Image.Image.resize"}, {step = "normalize", where = "unknown source", like = "", mode = "", dtype = "uint8", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "torchvision's ToTensor and Normalize: torch.div, torch.sub, torch.div"}, {step = "softmax", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "absolute", limit = 2.000000e-07 : f64, reference = "torch.softmax"}, {step = "argmax", where = "unknown source", like = "", mode = "", dtype = "float32", measure = "bit-exact", limit = 0.000000e+00 : f64, reference = "torch.argmax"}]} {
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
    %9 = llvm.mlir.constant(8) : i64
    %10 = llvm.mlir.constant(dense<[true, true, false, false]> : vector<4xi1>) : vector<4xi1>
    %11 = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    %12 = llvm.mlir.constant(dense<1> : vector<4xi8>) : vector<4xi8>
    %13 = llvm.mlir.constant(dense<true> : vector<4xi1>) : vector<4xi1>
    %14 = llvm.mlir.constant(dense<22> : vector<4xi32>) : vector<4xi32>
    %15 = llvm.mlir.constant(dense<0> : vector<4xi32>) : vector<4xi32>
    %16 = llvm.mlir.constant(dense<255> : vector<4xi32>) : vector<4xi32>
    %17 = llvm.mlir.poison : vector<4xi64>
    llvm.br ^bb1(%3 : i64)
  ^bb1(%18: i64):
    llvm.br ^bb2(%3, %7 : i64, vector<4xi32>)
  ^bb2(%19: i64, %20: vector<4xi32>):
    %21 = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %22 = llvm.getelementptr inbounds %1[0, %19] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i32>
    %23 = llvm.load %22 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %24 = llvm.add %19, %6 : i64
    %25 = llvm.getelementptr inbounds %1[0, %24] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i32>
    %26 = llvm.load %25 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %27 = llvm.add %19, %9 : i64
    %28 = llvm.getelementptr %1[0, %27] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i32>
    %29 = llvm.intr.masked.load %28, %10, %11 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
    %30 = llvm.shufflevector %23, %26 [0, 3, 6, 0] : vector<4xi32>
    %31 = llvm.shufflevector %30, %29 [0, 1, 2, 5] : vector<4xi32>
    %32 = llvm.sext %21 : vector<4xi32> to vector<4xi64>
    %33 = llvm.insertelement %19, %17[%3 : i64] : vector<4xi64>
    %34 = llvm.shufflevector %33, %17 [0, 0, 0, 0] : vector<4xi64>
    %35 = llvm.add %32, %34 : vector<4xi64>
    %36 = llvm.trunc %35 : vector<4xi64> to vector<4xi32>
    %37 = llvm.getelementptr %image[%18, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x i8>
    %38 = llvm.getelementptr %37[%36] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, i8
    %39 = llvm.intr.masked.gather %38, %13, %12 {alignment = 1 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xi8>) -> vector<4xi8>
    %40 = llvm.zext %39 : vector<4xi8> to vector<4xi32>
    %41 = llvm.mul %40, %31 : vector<4xi32>
    %42 = llvm.add %20, %41 : vector<4xi32>
    %43 = llvm.add %19, %5 overflow<nsw> : i64
    %44 = llvm.icmp "slt" %43, %8 : i64
    llvm.cond_br %44, ^bb2(%43, %42 : i64, vector<4xi32>), ^bb3(%42 : vector<4xi32>)
  ^bb3(%45: vector<4xi32>):
    %46 = llvm.ashr %45, %14 : vector<4xi32>
    %47 = llvm.intr.smax(%46, %15) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %48 = llvm.intr.smin(%47, %16) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %49 = llvm.trunc %48 : vector<4xi32> to vector<4xi8>
    %50 = llvm.getelementptr inbounds %2[%18, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<6 x i8>
    llvm.store %49, %50 {alignment = 1 : i64} : vector<4xi8>, !llvm.ptr
    llvm.br ^bb4(%3, %7 : i64, vector<4xi32>)
  ^bb4(%51: i64, %52: vector<4xi32>):
    %53 = llvm.getelementptr %0[4] : (!llvm.ptr) -> !llvm.ptr, i32
    %54 = llvm.intr.masked.load %53, %10, %11 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
    %55 = llvm.getelementptr inbounds %1[4, %51] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i32>
    %56 = llvm.load %55 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %57 = llvm.shufflevector %56, %56 [0, 3, 6, 0] : vector<4xi32>
    %58 = llvm.sext %54 : vector<4xi32> to vector<4xi64>
    %59 = llvm.insertelement %51, %17[%3 : i64] : vector<4xi64>
    %60 = llvm.shufflevector %59, %17 [0, 0, 0, 0] : vector<4xi64>
    %61 = llvm.add %58, %60 : vector<4xi64>
    %62 = llvm.trunc %61 : vector<4xi64> to vector<4xi32>
    %63 = llvm.getelementptr %image[%18, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x i8>
    %64 = llvm.getelementptr %63[%62] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, i8
    %65 = llvm.intr.masked.gather %64, %10, %12 {alignment = 1 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xi8>) -> vector<4xi8>
    %66 = llvm.zext %65 : vector<4xi8> to vector<4xi32>
    %67 = llvm.mul %66, %57 : vector<4xi32>
    %68 = llvm.add %52, %67 : vector<4xi32>
    %69 = llvm.add %51, %5 overflow<nsw> : i64
    %70 = llvm.icmp "slt" %69, %8 : i64
    llvm.cond_br %70, ^bb4(%69, %68 : i64, vector<4xi32>), ^bb5(%68 : vector<4xi32>)
  ^bb5(%71: vector<4xi32>):
    %72 = llvm.ashr %71, %14 : vector<4xi32>
    %73 = llvm.intr.smax(%72, %15) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %74 = llvm.intr.smin(%73, %16) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %75 = llvm.trunc %74 : vector<4xi32> to vector<4xi8>
    %76 = llvm.getelementptr %2[%18, 4] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<6 x i8>
    llvm.intr.masked.store %75, %76, %10 {alignment = 1 : i32} : vector<4xi8>, vector<4xi1> into !llvm.ptr
    %77 = llvm.add %18, %5 overflow<nsw> : i64
    %78 = llvm.icmp "slt" %77, %4 : i64
    llvm.cond_br %78, ^bb1(%77 : i64), ^bb6
  ^bb6:
    llvm.return
  }
  llvm.func internal @cast_div_sub(%resize: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 36 : i64}, %79: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 144 : i64}) attributes {no_unwind} {
    %80 = llvm.mlir.constant(0) : i64
    %81 = llvm.mlir.constant(32) : i64
    %82 = llvm.mlir.constant(8) : i64
    %83 = llvm.mlir.constant(4) : i64
    %84 = llvm.mlir.constant(dense<2.550000e+02> : vector<4xf32>) : vector<4xf32>
    %85 = llvm.mlir.constant(dense<5.000000e-01> : vector<4xf32>) : vector<4xf32>
    %86 = llvm.mlir.constant(dense<2.500000e-01> : vector<4xf32>) : vector<4xf32>
    llvm.br ^bb1(%80 : i64)
  ^bb1(%87: i64):
    %88 = llvm.add %87, %83 : i64
    %89 = llvm.getelementptr inbounds %resize[%87] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %90 = llvm.load %89 {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
    %91 = llvm.uitofp %90 : vector<4xi8> to vector<4xf32>
    %92 = llvm.fdiv %91, %84 : vector<4xf32>
    %93 = llvm.fsub %92, %85 : vector<4xf32>
    %94 = llvm.fdiv %93, %86 : vector<4xf32>
    %95 = llvm.getelementptr inbounds %resize[%88] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %96 = llvm.load %95 {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
    %97 = llvm.uitofp %96 : vector<4xi8> to vector<4xf32>
    %98 = llvm.fdiv %97, %84 : vector<4xf32>
    %99 = llvm.fsub %98, %85 : vector<4xf32>
    %100 = llvm.fdiv %99, %86 : vector<4xf32>
    %101 = llvm.getelementptr inbounds %79[%87] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %94, %101 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    %102 = llvm.getelementptr inbounds %79[%88] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %100, %102 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    %103 = llvm.add %87, %82 overflow<nsw> : i64
    %104 = llvm.icmp "slt" %103, %81 : i64
    llvm.cond_br %104, ^bb1(%103 : i64), ^bb2
  ^bb2:
    %105 = llvm.getelementptr inbounds %resize[32] : (!llvm.ptr) -> !llvm.ptr, i8
    %106 = llvm.load %105 {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
    %107 = llvm.uitofp %106 : vector<4xi8> to vector<4xf32>
    %108 = llvm.fdiv %107, %84 : vector<4xf32>
    %109 = llvm.fsub %108, %85 : vector<4xf32>
    %110 = llvm.fdiv %109, %86 : vector<4xf32>
    %111 = llvm.getelementptr inbounds %79[32] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store %110, %111 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    llvm.return
  }
  triton.func @conv2d_relu(%layout: !triton.ptr<f32>, %conv_weight: !triton.ptr<f32>, %conv_bias: !triton.ptr<f32>, %112: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>} {
    %113 = arith.constant 3 : i32
    %114 = arith.constant 6 : i32
    %115 = arith.constant 4 : i32
    %116 = arith.constant 16 : i32
    %117 = arith.constant 9 : i32
    %118 = arith.constant 0.000000e+00 : f32
    %119 = arith.constant 2 : i32
    %lanes = triton.arange : tensor<16xi32>
    %m = triton.expand_dims %lanes axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %n = triton.expand_dims %lanes axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %120 = triton.splat %119 : i32 -> tensor<1x16xi32>
    %in_n = triton.compare "slt" %n, %120 : tensor<1x16xi32> -> tensor<1x16xi1>
    %121 = triton.splat %118 : f32 -> tensor<16x16xf32>
    %122 = triton.splat %117 : i32 -> tensor<1x16xi32>
    %in_k = triton.compare "slt" %n, %122 : tensor<1x16xi32> -> tensor<1x16xi1>
    %123 = triton.splat %117 : i32 -> tensor<16x1xi32>
    %in_k_1 = triton.compare "slt" %m, %123 : tensor<16x1xi32> -> tensor<16x1xi1>
    %124 = triton.splat %116 : i32 -> tensor<16x1xi32>
    %125 = arith.divsi %m, %124 : tensor<16x1xi32>
    %126 = triton.splat %115 : i32 -> tensor<16x1xi32>
    %127 = arith.divsi %m, %126 : tensor<16x1xi32>
    %128 = triton.splat %114 : i32 -> tensor<16x1xi32>
    %129 = arith.muli %127, %128 : tensor<16x1xi32>
    %130 = arith.remsi %m, %126 : tensor<16x1xi32>
    %131 = arith.addi %129, %130 : tensor<16x1xi32>
    %132 = arith.divsi %n, %122 : tensor<1x16xi32>
    %133 = triton.splat %113 : i32 -> tensor<1x16xi32>
    %134 = arith.divsi %n, %133 : tensor<1x16xi32>
    %135 = triton.splat %114 : i32 -> tensor<1x16xi32>
    %136 = arith.muli %134, %135 : tensor<1x16xi32>
    %137 = triton.broadcast %131 : tensor<16x1xi32> -> tensor<16x16xi32>
    %138 = triton.broadcast %136 : tensor<1x16xi32> -> tensor<16x16xi32>
    %139 = arith.addi %137, %138 : tensor<16x16xi32>
    %140 = arith.remsi %n, %133 : tensor<1x16xi32>
    %141 = triton.broadcast %140 : tensor<1x16xi32> -> tensor<16x16xi32>
    %142 = arith.addi %139, %141 : tensor<16x16xi32>
    %143 = triton.addptr %layout, %142 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    %144 = triton.broadcast %in_k : tensor<1x16xi1> -> tensor<16x16xi1>
    %layout_1 = triton.load %143 mask %144 : tensor<16x16xi1> other %121 : tensor<16x16xf32> : tensor<16x16x!triton.ptr<f32>> -> tensor<16x16xf32>
    %145 = arith.muli %n, %122 : tensor<1x16xi32>
    %146 = triton.broadcast %m : tensor<16x1xi32> -> tensor<16x16xi32>
    %147 = triton.broadcast %145 : tensor<1x16xi32> -> tensor<16x16xi32>
    %148 = arith.addi %146, %147 : tensor<16x16xi32>
    %149 = triton.broadcast %in_k_1 : tensor<16x1xi1> -> tensor<16x16xi1>
    %150 = triton.broadcast %in_n : tensor<1x16xi1> -> tensor<16x16xi1>
    %151 = arith.andi %149, %150 : tensor<16x16xi1>
    %152 = triton.addptr %conv_weight, %148 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    %conv_weight_1 = triton.load %152 mask %151 : tensor<16x16xi1> other %121 : tensor<16x16xf32> : tensor<16x16x!triton.ptr<f32>> -> tensor<16x16xf32>
    %acc = triton.dot %layout_1, %conv_weight_1, %121 "ieee" : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %153 = triton.addptr %conv_bias, %n : !triton.ptr<f32>, tensor<1x16xi32> -> tensor<1x16x!triton.ptr<f32>>
    %154 = triton.splat %118 : f32 -> tensor<1x16xf32>
    %conv_bias_1 = triton.load %153 mask %in_n : tensor<1x16xi1> other %154 : tensor<1x16xf32> : tensor<1x16x!triton.ptr<f32>> -> tensor<1x16xf32>
    %155 = triton.broadcast %conv_bias_1 : tensor<1x16xf32> -> tensor<16x16xf32>
    %156 = arith.addf %acc, %155 : tensor<16x16xf32>
    %157 = arith.maximumf %156, %121 : tensor<16x16xf32>
    %158 = triton.splat %116 : i32 -> tensor<1x16xi32>
    %159 = arith.muli %n, %158 : tensor<1x16xi32>
    %160 = triton.broadcast %159 : tensor<1x16xi32> -> tensor<16x16xi32>
    %161 = arith.addi %146, %160 : tensor<16x16xi32>
    %162 = triton.addptr %112, %161 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    triton.store %162, %157 mask %150 : tensor<16x16xi1> : tensor<16x16x!triton.ptr<f32>>, tensor<16x16xf32>
    triton.return
  }
  triton.func @max_pool2d(%relu: !triton.ptr<f32>, %112: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "window", ["nn.max_pool2d"]>} {
    %113 = arith.constant 1 : i32
    %114 = arith.constant 0 : i32
    %115 = arith.constant 4 : i32
    %116 = arith.constant 8 : i32
    %117 = arith.constant 2 : i32
    %118 = arith.constant 0xff800000 : f32
    %lanes = triton.arange : tensor<8xi32>
    %119 = triton.splat %118 : f32 -> tensor<8xf32>
    %120 = triton.splat %117 : i32 -> tensor<8xi32>
    %121 = arith.divsi %lanes, %120 : tensor<8xi32>
    %122 = triton.splat %116 : i32 -> tensor<8xi32>
    %123 = arith.muli %121, %122 : tensor<8xi32>
    %124 = arith.remsi %lanes, %120 : tensor<8xi32>
    %125 = arith.muli %124, %120 : tensor<8xi32>
    %126 = arith.addi %123, %125 : tensor<8xi32>
    %127 = scf.for %k = %114 to %117 step %113 iter_args(%acc = %119) -> (tensor<8xf32>) : i32 {
      %128 = arith.muli %k, %115 : i32
      %129 = triton.splat %128 : i32 -> tensor<8xi32>
      %130 = arith.addi %126, %129 : tensor<8xi32>
      %131 = scf.for %k_1 = %114 to %117 step %113 iter_args(%acc_1 = %acc) -> (tensor<8xf32>) : i32 {
        %132 = triton.splat %k_1 : i32 -> tensor<8xi32>
        %133 = arith.addi %130, %132 : tensor<8xi32>
        %134 = triton.addptr %relu, %133 : !triton.ptr<f32>, tensor<8xi32> -> tensor<8x!triton.ptr<f32>>
        %relu_1 = triton.load %134 : tensor<8x!triton.ptr<f32>> -> tensor<8xf32>
        %135 = arith.maximumf %relu_1, %acc_1 : tensor<8xf32>
        scf.yield %135 : tensor<8xf32>
      }
      scf.yield %131 : tensor<8xf32>
    }
    %136 = triton.addptr %112, %lanes : !triton.ptr<f32>, tensor<8xi32> -> tensor<8x!triton.ptr<f32>>
    triton.store %136, %127 : tensor<8x!triton.ptr<f32>>, tensor<8xf32>
    triton.return
  }
  llvm.func internal @linear(%flatten: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}, %fc_weight: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 96 : i64}, %fc_bias: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %112: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}) attributes {no_unwind} {
    %113 = llvm.mlir.constant(0) : i64
    %114 = llvm.mlir.constant(1) : i64
    %115 = llvm.mlir.constant(4) : i64
    %116 = llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>) : vector<4xf32>
    %117 = llvm.mlir.constant(8) : i64
    %118 = llvm.mlir.constant(2) : i64
    %119 = llvm.mlir.constant(3) : i64
    %120 = llvm.mlir.constant(dense<[true, true, true, false]> : vector<4xi1>) : vector<4xi1>
    %121 = llvm.mlir.poison : vector<4xf32>
    llvm.br ^bb1(%113, %116, %116, %116, %116 : i64, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
  ^bb1(%122: i64, %123: vector<4xf32>, %124: vector<4xf32>, %125: vector<4xf32>, %126: vector<4xf32>):
    %127 = llvm.getelementptr inbounds %fc_weight[0, %122, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x !llvm.array<4 x f32>>
    %128 = llvm.load %127 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %129 = llvm.getelementptr inbounds %flatten[%122] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %130 = llvm.load %129 {alignment = 4 : i64} : !llvm.ptr -> f32
    %131 = llvm.insertelement %130, %121[%113 : i64] : vector<4xf32>
    %132 = llvm.shufflevector %131, %121 [0, 0, 0, 0] : vector<4xf32>
    %133 = llvm.intr.fma(%132, %128, %123) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %134 = llvm.add %122, %114 : i64
    %135 = llvm.getelementptr inbounds %fc_weight[0, %134, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x !llvm.array<4 x f32>>
    %136 = llvm.load %135 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %137 = llvm.getelementptr inbounds %flatten[%134] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %138 = llvm.load %137 {alignment = 4 : i64} : !llvm.ptr -> f32
    %139 = llvm.insertelement %138, %121[%113 : i64] : vector<4xf32>
    %140 = llvm.shufflevector %139, %121 [0, 0, 0, 0] : vector<4xf32>
    %141 = llvm.intr.fma(%140, %136, %124) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %142 = llvm.add %122, %118 : i64
    %143 = llvm.getelementptr inbounds %fc_weight[0, %142, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x !llvm.array<4 x f32>>
    %144 = llvm.load %143 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %145 = llvm.getelementptr inbounds %flatten[%142] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %146 = llvm.load %145 {alignment = 4 : i64} : !llvm.ptr -> f32
    %147 = llvm.insertelement %146, %121[%113 : i64] : vector<4xf32>
    %148 = llvm.shufflevector %147, %121 [0, 0, 0, 0] : vector<4xf32>
    %149 = llvm.intr.fma(%148, %144, %125) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %150 = llvm.add %122, %119 : i64
    %151 = llvm.getelementptr inbounds %fc_weight[0, %150, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x !llvm.array<4 x f32>>
    %152 = llvm.load %151 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %153 = llvm.getelementptr inbounds %flatten[%150] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %154 = llvm.load %153 {alignment = 4 : i64} : !llvm.ptr -> f32
    %155 = llvm.insertelement %154, %121[%113 : i64] : vector<4xf32>
    %156 = llvm.shufflevector %155, %121 [0, 0, 0, 0] : vector<4xf32>
    %157 = llvm.intr.fma(%156, %152, %126) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %158 = llvm.add %122, %115 overflow<nsw> : i64
    %159 = llvm.icmp "slt" %158, %117 : i64
    llvm.cond_br %159, ^bb1(%158, %133, %141, %149, %157 : i64, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>), ^bb2(%133, %141, %149, %157 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
  ^bb2(%160: vector<4xf32>, %161: vector<4xf32>, %162: vector<4xf32>, %163: vector<4xf32>):
    %164 = llvm.fadd %160, %161 : vector<4xf32>
    %165 = llvm.fadd %164, %162 : vector<4xf32>
    %166 = llvm.fadd %165, %163 : vector<4xf32>
    %167 = llvm.intr.masked.load %fc_bias, %120, %116 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %168 = llvm.fadd %166, %167 : vector<4xf32>
    llvm.intr.masked.store %168, %112, %120 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    llvm.return
  }
  llvm.func internal @reduce_max_sub_exp_more(%fc: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %169: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %170: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 8 : i64}) attributes {no_unwind} {
    %171 = llvm.mlir.constant(dense<-1.040000e+02> : vector<4xf32>) : vector<4xf32>
    %172 = llvm.mlir.constant(dense<8.900000e+01> : vector<4xf32>) : vector<4xf32>
    %173 = llvm.mlir.constant(dense<0x4B400000> : vector<4xf32>) : vector<4xf32>
    %174 = llvm.mlir.constant(dense<1.44269502> : vector<4xf32>) : vector<4xf32>
    %175 = llvm.mlir.constant(dense<-0.693145752> : vector<4xf32>) : vector<4xf32>
    %176 = llvm.mlir.constant(dense<-1.42860677e-06> : vector<4xf32>) : vector<4xf32>
    %177 = llvm.mlir.constant(dense<0.000198909809> : vector<4xf32>) : vector<4xf32>
    %178 = llvm.mlir.constant(dense<0.00139336416> : vector<4xf32>) : vector<4xf32>
    %179 = llvm.mlir.constant(dense<0.00833331048> : vector<4xf32>) : vector<4xf32>
    %180 = llvm.mlir.constant(dense<0.0416664667> : vector<4xf32>) : vector<4xf32>
    %181 = llvm.mlir.constant(dense<0.166666672> : vector<4xf32>) : vector<4xf32>
    %182 = llvm.mlir.constant(dense<5.000000e-01> : vector<4xf32>) : vector<4xf32>
    %183 = llvm.mlir.constant(dense<1.000000e+00> : vector<4xf32>) : vector<4xf32>
    %184 = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    %185 = llvm.mlir.constant(dense<127> : vector<4xi32>) : vector<4xi32>
    %186 = llvm.mlir.constant(dense<23> : vector<4xi32>) : vector<4xi32>
    %187 = llvm.mlir.constant(0) : i64
    %188 = llvm.mlir.poison : vector<4xf32>
    %189 = llvm.mlir.constant(0xff800000 : f32) : f32
    %190 = llvm.insertelement %189, %188[%187 : i64] : vector<4xf32>
    %191 = llvm.shufflevector %190, %188 [0, 0, 0, 0] : vector<4xf32>
    %192 = llvm.mlir.constant(dense<[true, true, true, false]> : vector<4xi1>) : vector<4xi1>
    %193 = llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>) : vector<4xf32>
    %194 = llvm.mlir.constant(dense<0> : vector<4xi64>) : vector<4xi64>
    %195 = llvm.mlir.constant(dense<9223372036854775807> : vector<4xi64>) : vector<4xi64>
    %196 = llvm.mlir.constant(0.000000e+00 : f32) : f32
    %197 = llvm.mlir.constant(-0.000000e+00 : f32) : f32
    %198 = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi64>) : vector<4xi64>
    %199 = llvm.intr.masked.load %fc, %192, %193 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %200 = llvm.intr.maximum(%199, %191) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %201 = llvm.select %192, %200, %191 : vector<4xi1>, vector<4xf32>
    %202 = llvm.intr.vector.reduce.fmaximum(%201) {fastmathFlags = #llvm.fastmath<reassoc>} : (vector<4xf32>) -> f32
    %203 = llvm.intr.maximum(%189, %202) : (f32, f32) -> f32
    %204 = llvm.intr.masked.load %fc, %192, %193 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %205 = llvm.insertelement %203, %188[%187 : i64] : vector<4xf32>
    %206 = llvm.shufflevector %205, %188 [0, 0, 0, 0] : vector<4xf32>
    %207 = llvm.fsub %204, %206 : vector<4xf32>
    %208 = llvm.fcmp "olt" %207, %171 : vector<4xf32>
    %209 = llvm.select %208, %171, %207 : vector<4xi1>, vector<4xf32>
    %210 = llvm.fcmp "ogt" %209, %172 : vector<4xf32>
    %211 = llvm.select %210, %172, %209 : vector<4xi1>, vector<4xf32>
    %212 = llvm.intr.fma(%211, %174, %173) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %213 = llvm.bitcast %212 : vector<4xf32> to vector<4xi32>
    %214 = llvm.bitcast %173 : vector<4xf32> to vector<4xi32>
    %215 = llvm.sub %213, %214 : vector<4xi32>
    %216 = llvm.fsub %212, %173 : vector<4xf32>
    %217 = llvm.intr.fma(%216, %175, %211) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %218 = llvm.intr.fma(%216, %176, %217) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %219 = llvm.intr.fma(%177, %218, %178) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %220 = llvm.intr.fma(%219, %218, %179) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %221 = llvm.intr.fma(%220, %218, %180) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %222 = llvm.intr.fma(%221, %218, %181) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %223 = llvm.intr.fma(%222, %218, %182) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %224 = llvm.fmul %218, %218 : vector<4xf32>
    %225 = llvm.intr.fma(%224, %223, %218) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %226 = llvm.fadd %225, %183 : vector<4xf32>
    %227 = llvm.ashr %215, %184 : vector<4xi32>
    %228 = llvm.sub %215, %227 : vector<4xi32>
    %229 = llvm.add %227, %185 : vector<4xi32>
    %230 = llvm.shl %229, %186 : vector<4xi32>
    %231 = llvm.bitcast %230 : vector<4xi32> to vector<4xf32>
    %232 = llvm.fmul %226, %231 : vector<4xf32>
    %233 = llvm.add %228, %185 : vector<4xi32>
    %234 = llvm.shl %233, %186 : vector<4xi32>
    %235 = llvm.bitcast %234 : vector<4xi32> to vector<4xf32>
    %236 = llvm.fmul %232, %235 : vector<4xf32>
    llvm.intr.masked.store %236, %169, %192 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    %237 = llvm.fadd %193, %236 : vector<4xf32>
    %238 = llvm.select %192, %237, %193 : vector<4xi1>, vector<4xf32>
    %239 = "llvm.intr.vector.reduce.fadd"(%197, %238) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<4xf32>) -> f32
    %240 = llvm.fadd %196, %239 : f32
    %241 = llvm.intr.masked.load %169, %192, %193 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %242 = llvm.insertelement %240, %188[%187 : i64] : vector<4xf32>
    %243 = llvm.shufflevector %242, %188 [0, 0, 0, 0] : vector<4xf32>
    %244 = llvm.fdiv %241, %243 : vector<4xf32>
    llvm.intr.masked.store %244, %169, %192 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    %245 = llvm.fcmp "ugt" %244, %191 : vector<4xf32>
    %246 = llvm.fcmp "ord" %191, %191 : vector<4xf32>
    %247 = llvm.and %245, %246 : vector<4xi1>
    %248 = llvm.add %194, %198 : vector<4xi64>
    %249 = llvm.select %247, %244, %191 : vector<4xi1>, vector<4xf32>
    %250 = llvm.select %247, %248, %194 : vector<4xi1>, vector<4xi64>
    %251 = llvm.select %192, %249, %191 : vector<4xi1>, vector<4xf32>
    %252 = llvm.select %192, %250, %194 : vector<4xi1>, vector<4xi64>
    %253 = llvm.intr.vector.reduce.fmaximum(%251) {fastmathFlags = #llvm.fastmath<reassoc>} : (vector<4xf32>) -> f32
    %254 = llvm.insertelement %253, %188[%187 : i64] : vector<4xf32>
    %255 = llvm.shufflevector %254, %188 [0, 0, 0, 0] : vector<4xf32>
    %256 = llvm.fcmp "oeq" %251, %255 : vector<4xf32>
    %257 = llvm.fcmp "uno" %251, %251 : vector<4xf32>
    %258 = llvm.or %256, %257 : vector<4xi1>
    %259 = llvm.select %258, %252, %195 : vector<4xi1>, vector<4xi64>
    %260 = llvm.intr.vector.reduce.smin(%259) : (vector<4xi64>) -> i64
    llvm.store %260, %170 {alignment = 8 : i64} : i64, !llvm.ptr
    llvm.return
  }
  llvm.func internal @segment_0(%261: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 24 : i64}, %262: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 72 : i64}, %image_1: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 48 : i64}, %resize_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 36 : i64}, %normalize: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 144 : i64}) attributes {no_unwind} {
    llvm.call @resample(%261, %262, %image_1, %resize_1) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.call @cast_div_sub(%resize_1, %normalize) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @segment_0_entry(%table: !llvm.ptr) attributes {no_unwind} {
    %263 = llvm.load %table {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %264 = llvm.getelementptr inbounds %table[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %265 = llvm.load %264 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %266 = llvm.getelementptr inbounds %table[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %267 = llvm.load %266 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %268 = llvm.getelementptr inbounds %table[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %269 = llvm.load %268 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %270 = llvm.getelementptr inbounds %table[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %271 = llvm.load %270 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    llvm.call @segment_0(%263, %265, %267, %269, %271) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func internal @segment_1(%pool: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}, %fc_weight_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 96 : i64}, %fc_bias_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %fc_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %probabilities: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %label: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 8 : i64}) attributes {no_unwind} {
    llvm.call @linear(%pool, %fc_weight_1, %fc_bias_1, %fc_1) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.call @reduce_max_sub_exp_more(%fc_1, %probabilities, %label) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @segment_1_entry(%table_1: !llvm.ptr) attributes {no_unwind} {
    %272 = llvm.load %table_1 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %273 = llvm.getelementptr inbounds %table_1[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %274 = llvm.load %273 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %275 = llvm.getelementptr inbounds %table_1[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %276 = llvm.load %275 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %277 = llvm.getelementptr inbounds %table_1[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %278 = llvm.load %277 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %279 = llvm.getelementptr inbounds %table_1[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %280 = llvm.load %279 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %281 = llvm.getelementptr inbounds %table_1[5] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %282 = llvm.load %281 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    llvm.call @segment_1(%272, %274, %276, %278, %280, %282) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
}
