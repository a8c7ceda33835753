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
    %3 = nn.pack %2 as #dev.layout<[0, 1], [4, 1]> : (tensor<3x8xf32>) -> tensor<1x8x4xf32>
    func.return %0, %1, %3 : tensor<6xi32>, tensor<6x3xi32>, tensor<1x8x4xf32>
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
  triton.func @conv2d_relu(%layout: !triton.ptr<f32>, %conv_weight: !triton.ptr<f32>, %conv_bias: !triton.ptr<f32>, %106: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>} {
    %107 = arith.constant 3 : i32
    %108 = arith.constant 6 : i32
    %109 = arith.constant 4 : i32
    %110 = arith.constant 16 : i32
    %111 = arith.constant 9 : i32
    %112 = arith.constant 0.000000e+00 : f32
    %113 = arith.constant 2 : i32
    %lanes = triton.arange : tensor<16xi32>
    %m = triton.expand_dims %lanes axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %n = triton.expand_dims %lanes axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %114 = triton.splat %113 : i32 -> tensor<1x16xi32>
    %in_n = triton.compare "slt" %n, %114 : tensor<1x16xi32> -> tensor<1x16xi1>
    %115 = triton.splat %112 : f32 -> tensor<16x16xf32>
    %116 = triton.splat %111 : i32 -> tensor<1x16xi32>
    %in_k = triton.compare "slt" %n, %116 : tensor<1x16xi32> -> tensor<1x16xi1>
    %117 = triton.splat %111 : i32 -> tensor<16x1xi32>
    %in_k_1 = triton.compare "slt" %m, %117 : tensor<16x1xi32> -> tensor<16x1xi1>
    %118 = triton.splat %110 : i32 -> tensor<16x1xi32>
    %119 = arith.divsi %m, %118 : tensor<16x1xi32>
    %120 = triton.splat %109 : i32 -> tensor<16x1xi32>
    %121 = arith.divsi %m, %120 : tensor<16x1xi32>
    %122 = triton.splat %108 : i32 -> tensor<16x1xi32>
    %123 = arith.muli %121, %122 : tensor<16x1xi32>
    %124 = arith.remsi %m, %120 : tensor<16x1xi32>
    %125 = arith.addi %123, %124 : tensor<16x1xi32>
    %126 = arith.divsi %n, %116 : tensor<1x16xi32>
    %127 = triton.splat %107 : i32 -> tensor<1x16xi32>
    %128 = arith.divsi %n, %127 : tensor<1x16xi32>
    %129 = triton.splat %108 : i32 -> tensor<1x16xi32>
    %130 = arith.muli %128, %129 : tensor<1x16xi32>
    %131 = triton.broadcast %125 : tensor<16x1xi32> -> tensor<16x16xi32>
    %132 = triton.broadcast %130 : tensor<1x16xi32> -> tensor<16x16xi32>
    %133 = arith.addi %131, %132 : tensor<16x16xi32>
    %134 = arith.remsi %n, %127 : tensor<1x16xi32>
    %135 = triton.broadcast %134 : tensor<1x16xi32> -> tensor<16x16xi32>
    %136 = arith.addi %133, %135 : tensor<16x16xi32>
    %137 = triton.addptr %layout, %136 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    %138 = triton.broadcast %in_k : tensor<1x16xi1> -> tensor<16x16xi1>
    %layout_1 = triton.load %137 mask %138 : tensor<16x16xi1> other %115 : tensor<16x16xf32> : tensor<16x16x!triton.ptr<f32>> -> tensor<16x16xf32>
    %139 = arith.muli %n, %116 : tensor<1x16xi32>
    %140 = triton.broadcast %m : tensor<16x1xi32> -> tensor<16x16xi32>
    %141 = triton.broadcast %139 : tensor<1x16xi32> -> tensor<16x16xi32>
    %142 = arith.addi %140, %141 : tensor<16x16xi32>
    %143 = triton.broadcast %in_k_1 : tensor<16x1xi1> -> tensor<16x16xi1>
    %144 = triton.broadcast %in_n : tensor<1x16xi1> -> tensor<16x16xi1>
    %145 = arith.andi %143, %144 : tensor<16x16xi1>
    %146 = triton.addptr %conv_weight, %142 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    %conv_weight_1 = triton.load %146 mask %145 : tensor<16x16xi1> other %115 : tensor<16x16xf32> : tensor<16x16x!triton.ptr<f32>> -> tensor<16x16xf32>
    %acc = triton.dot %layout_1, %conv_weight_1, %115 "tf32x3" : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %147 = triton.addptr %conv_bias, %n : !triton.ptr<f32>, tensor<1x16xi32> -> tensor<1x16x!triton.ptr<f32>>
    %148 = triton.splat %112 : f32 -> tensor<1x16xf32>
    %conv_bias_1 = triton.load %147 mask %in_n : tensor<1x16xi1> other %148 : tensor<1x16xf32> : tensor<1x16x!triton.ptr<f32>> -> tensor<1x16xf32>
    %149 = triton.broadcast %conv_bias_1 : tensor<1x16xf32> -> tensor<16x16xf32>
    %150 = arith.addf %acc, %149 : tensor<16x16xf32>
    %151 = arith.maximumf %150, %115 : tensor<16x16xf32>
    %152 = triton.splat %110 : i32 -> tensor<1x16xi32>
    %153 = arith.muli %n, %152 : tensor<1x16xi32>
    %154 = triton.broadcast %153 : tensor<1x16xi32> -> tensor<16x16xi32>
    %155 = arith.addi %140, %154 : tensor<16x16xi32>
    %156 = triton.addptr %106, %155 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    triton.store %156, %151 mask %144 : tensor<16x16xi1> : tensor<16x16x!triton.ptr<f32>>, tensor<16x16xf32>
    triton.return
  }
  triton.func @max_pool2d(%relu: !triton.ptr<f32>, %106: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "window", ["nn.max_pool2d"]>} {
    %107 = arith.constant 1 : i32
    %108 = arith.constant 0 : i32
    %109 = arith.constant 4 : i32
    %110 = arith.constant 8 : i32
    %111 = arith.constant 2 : i32
    %112 = arith.constant 0xff800000 : f32
    %lanes = triton.arange : tensor<8xi32>
    %113 = triton.splat %112 : f32 -> tensor<8xf32>
    %114 = triton.splat %111 : i32 -> tensor<8xi32>
    %115 = arith.divsi %lanes, %114 : tensor<8xi32>
    %116 = triton.splat %110 : i32 -> tensor<8xi32>
    %117 = arith.muli %115, %116 : tensor<8xi32>
    %118 = arith.remsi %lanes, %114 : tensor<8xi32>
    %119 = arith.muli %118, %114 : tensor<8xi32>
    %120 = arith.addi %117, %119 : tensor<8xi32>
    %121 = scf.for %k = %108 to %111 step %107 iter_args(%acc = %113) -> (tensor<8xf32>) : i32 {
      %122 = arith.muli %k, %109 : i32
      %123 = triton.splat %122 : i32 -> tensor<8xi32>
      %124 = arith.addi %120, %123 : tensor<8xi32>
      %125 = scf.for %k_1 = %108 to %111 step %107 iter_args(%acc_1 = %acc) -> (tensor<8xf32>) : i32 {
        %126 = triton.splat %k_1 : i32 -> tensor<8xi32>
        %127 = arith.addi %124, %126 : tensor<8xi32>
        %128 = triton.addptr %relu, %127 : !triton.ptr<f32>, tensor<8xi32> -> tensor<8x!triton.ptr<f32>>
        %relu_1 = triton.load %128 : tensor<8x!triton.ptr<f32>> -> tensor<8xf32>
        %129 = arith.maximumf %relu_1, %acc_1 : tensor<8xf32>
        scf.yield %129 : tensor<8xf32>
      }
      scf.yield %125 : tensor<8xf32>
    }
    %130 = triton.addptr %106, %lanes : !triton.ptr<f32>, tensor<8xi32> -> tensor<8x!triton.ptr<f32>>
    triton.store %130, %121 : tensor<8x!triton.ptr<f32>>, tensor<8xf32>
    triton.return
  }
  llvm.func internal @linear(%flatten: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}, %fc_weight: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 128 : i64}, %fc_bias: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %106: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}) attributes {no_unwind} {
    %107 = llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>) : vector<4xf32>
    %108 = llvm.mlir.constant(dense<[true, true, true, false]> : vector<4xi1>) : vector<4xi1>
    %109 = llvm.mlir.constant(0) : i64
    %110 = llvm.mlir.constant(8) : i64
    %111 = llvm.mlir.constant(4) : i64
    %112 = llvm_ext.mlir.poison : vector<4xf32>
    %113 = llvm.mlir.constant(64) : i64
    llvm.br ^bb1(%109, %107, %107, %107, %107, %109 : i64, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, i64)
  ^bb1(%114: i64, %115: vector<4xf32>, %116: vector<4xf32>, %117: vector<4xf32>, %118: vector<4xf32>, %119: i64):
    %120 = llvm_ext.getelementptr %fc_weight[%119] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %121 = llvm.load %120 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %122 = llvm_ext.getelementptr %flatten[%114] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %123 = llvm.load %122 {alignment = 4 : i64} : !llvm.ptr -> f32
    %124 = llvm.insertelement %123, %112[%109 : i64] : vector<4xf32>
    %125 = llvm.shufflevector %124, %112 [0, 0, 0, 0] : vector<4xf32>
    %126 = llvm.intr.fma(%125, %121, %115) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %127 = llvm_ext.getelementptr %120[4] : (!llvm.ptr) -> !llvm.ptr, f32
    %128 = llvm.load %127 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %129 = llvm_ext.getelementptr %122[1] : (!llvm.ptr) -> !llvm.ptr, f32
    %130 = llvm.load %129 {alignment = 4 : i64} : !llvm.ptr -> f32
    %131 = llvm.insertelement %130, %112[%109 : i64] : vector<4xf32>
    %132 = llvm.shufflevector %131, %112 [0, 0, 0, 0] : vector<4xf32>
    %133 = llvm.intr.fma(%132, %128, %116) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %134 = llvm_ext.getelementptr %120[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %135 = llvm.load %134 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %136 = llvm_ext.getelementptr %122[2] : (!llvm.ptr) -> !llvm.ptr, f32
    %137 = llvm.load %136 {alignment = 4 : i64} : !llvm.ptr -> f32
    %138 = llvm.insertelement %137, %112[%109 : i64] : vector<4xf32>
    %139 = llvm.shufflevector %138, %112 [0, 0, 0, 0] : vector<4xf32>
    %140 = llvm.intr.fma(%139, %135, %117) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %141 = llvm_ext.getelementptr %120[12] : (!llvm.ptr) -> !llvm.ptr, f32
    %142 = llvm.load %141 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %143 = llvm_ext.getelementptr %122[3] : (!llvm.ptr) -> !llvm.ptr, f32
    %144 = llvm.load %143 {alignment = 4 : i64} : !llvm.ptr -> f32
    %145 = llvm.insertelement %144, %112[%109 : i64] : vector<4xf32>
    %146 = llvm.shufflevector %145, %112 [0, 0, 0, 0] : vector<4xf32>
    %147 = llvm.intr.fma(%146, %142, %118) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %148 = llvm.add %114, %111 overflow<nsw> : i64
    %149 = llvm.icmp "slt" %148, %110 : i64
    %150 = llvm.add %119, %113 : i64
    llvm.cond_br %149, ^bb1(%148, %126, %133, %140, %147, %150 : i64, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, i64), ^bb2(%126, %133, %140, %147 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
  ^bb2(%151: vector<4xf32>, %152: vector<4xf32>, %153: vector<4xf32>, %154: vector<4xf32>):
    %155 = llvm.fadd %151, %152 : vector<4xf32>
    %156 = llvm.fadd %155, %153 : vector<4xf32>
    %157 = llvm.fadd %156, %154 : vector<4xf32>
    %158 = llvm_ext.intr.masked.load %fc_bias, %108, %107 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %159 = llvm.fadd %157, %158 : vector<4xf32>
    llvm_ext.intr.masked.store %159, %106, %108 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    llvm.return
  }
  llvm.func internal @reduce_max_sub_exp_more(%fc: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %160: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %161: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 8 : i64}) attributes {no_unwind} {
    %162 = llvm.mlir.constant(dense<-1.040000e+02> : vector<4xf32>) : vector<4xf32>
    %163 = llvm.mlir.constant(dense<8.900000e+01> : vector<4xf32>) : vector<4xf32>
    %164 = llvm.mlir.constant(dense<12582912.0> : vector<4xf32>) : vector<4xf32>
    %165 = llvm.mlir.constant(dense<1.44269502> : vector<4xf32>) : vector<4xf32>
    %166 = llvm.mlir.constant(dense<-0.693145752> : vector<4xf32>) : vector<4xf32>
    %167 = llvm.mlir.constant(dense<-1.42860677e-06> : vector<4xf32>) : vector<4xf32>
    %168 = llvm.mlir.constant(dense<0.000198909809> : vector<4xf32>) : vector<4xf32>
    %169 = llvm.mlir.constant(dense<0.00139336416> : vector<4xf32>) : vector<4xf32>
    %170 = llvm.mlir.constant(dense<0.00833331048> : vector<4xf32>) : vector<4xf32>
    %171 = llvm.mlir.constant(dense<0.0416664667> : vector<4xf32>) : vector<4xf32>
    %172 = llvm.mlir.constant(dense<0.166666672> : vector<4xf32>) : vector<4xf32>
    %173 = llvm.mlir.constant(dense<5.000000e-01> : vector<4xf32>) : vector<4xf32>
    %174 = llvm.mlir.constant(dense<1.000000e+00> : vector<4xf32>) : vector<4xf32>
    %175 = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    %176 = llvm.mlir.constant(dense<127> : vector<4xi32>) : vector<4xi32>
    %177 = llvm.mlir.constant(dense<23> : vector<4xi32>) : vector<4xi32>
    %178 = llvm.mlir.constant(0xff800000 : f32) : f32
    %179 = llvm.mlir.constant(0.000000e+00 : f32) : f32
    %180 = llvm_ext.mlir.poison : vector<4xf32>
    %181 = llvm.mlir.constant(0) : i64
    %182 = llvm.insertelement %178, %180[%181 : i64] : vector<4xf32>
    %183 = llvm.shufflevector %182, %180 [0, 0, 0, 0] : vector<4xf32>
    %184 = llvm.mlir.constant(dense<[true, true, true, false]> : vector<4xi1>) : vector<4xi1>
    %185 = llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>) : vector<4xf32>
    %186 = llvm.mlir.constant(dense<0> : vector<4xi64>) : vector<4xi64>
    %187 = llvm.mlir.constant(dense<9223372036854775807> : vector<4xi64>) : vector<4xi64>
    %188 = llvm.mlir.constant(-0.000000e+00 : f32) : f32
    %189 = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi64>) : vector<4xi64>
    %190 = llvm_ext.intr.masked.load %fc, %184, %185 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %191 = llvm_ext.intr.maximum(%190, %183) {fastmathFlags = #llvm.fastmath<nsz>} : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %192 = llvm_ext.select %184, %191, %183 : vector<4xi1>, vector<4xf32>
    %193 = llvm_ext.intr.vector.reduce.fmaximum(%192) {fastmathFlags = #llvm.fastmath<reassoc>} : (vector<4xf32>) -> f32
    %194 = llvm_ext.intr.maximum(%178, %193) {fastmathFlags = #llvm.fastmath<nsz>} : (f32, f32) -> f32
    %195 = llvm_ext.intr.masked.load %fc, %184, %185 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %196 = llvm.insertelement %194, %180[%181 : i64] : vector<4xf32>
    %197 = llvm.shufflevector %196, %180 [0, 0, 0, 0] : vector<4xf32>
    %198 = llvm.fsub %195, %197 : vector<4xf32>
    %199 = llvm_ext.fcmp "olt" %198, %162 : vector<4xf32>
    %200 = llvm_ext.select %199, %162, %198 : vector<4xi1>, vector<4xf32>
    %201 = llvm_ext.fcmp "ogt" %200, %163 : vector<4xf32>
    %202 = llvm_ext.select %201, %163, %200 : vector<4xi1>, vector<4xf32>
    %203 = llvm.intr.fma(%202, %165, %164) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %204 = llvm.bitcast %203 : vector<4xf32> to vector<4xi32>
    %205 = llvm.bitcast %164 : vector<4xf32> to vector<4xi32>
    %206 = llvm.sub %204, %205 : vector<4xi32>
    %207 = llvm.fsub %203, %164 : vector<4xf32>
    %208 = llvm.intr.fma(%207, %166, %202) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %209 = llvm.intr.fma(%207, %167, %208) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %210 = llvm.intr.fma(%168, %209, %169) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %211 = llvm.intr.fma(%210, %209, %170) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %212 = llvm.intr.fma(%211, %209, %171) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %213 = llvm.intr.fma(%212, %209, %172) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %214 = llvm.intr.fma(%213, %209, %173) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %215 = llvm.fmul %209, %209 : vector<4xf32>
    %216 = llvm.intr.fma(%215, %214, %209) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %217 = llvm.fadd %216, %174 : vector<4xf32>
    %218 = llvm.ashr %206, %175 : vector<4xi32>
    %219 = llvm.sub %206, %218 : vector<4xi32>
    %220 = llvm.add %218, %176 : vector<4xi32>
    %221 = llvm.shl %220, %177 : vector<4xi32>
    %222 = llvm.bitcast %221 : vector<4xi32> to vector<4xf32>
    %223 = llvm.fmul %217, %222 : vector<4xf32>
    %224 = llvm.add %219, %176 : vector<4xi32>
    %225 = llvm.shl %224, %177 : vector<4xi32>
    %226 = llvm.bitcast %225 : vector<4xi32> to vector<4xf32>
    %227 = llvm.fmul %223, %226 : vector<4xf32>
    llvm_ext.intr.masked.store %227, %160, %184 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    %228 = llvm.fadd %185, %227 : vector<4xf32>
    %229 = llvm_ext.select %184, %228, %185 : vector<4xi1>, vector<4xf32>
    %230 = "llvm.intr.vector.reduce.fadd"(%188, %229) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<4xf32>) -> f32
    %231 = llvm.fadd %179, %230 : f32
    %232 = llvm_ext.intr.masked.load %160, %184, %185 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %233 = llvm.insertelement %231, %180[%181 : i64] : vector<4xf32>
    %234 = llvm.shufflevector %233, %180 [0, 0, 0, 0] : vector<4xf32>
    %235 = llvm.fdiv %232, %234 : vector<4xf32>
    llvm_ext.intr.masked.store %235, %160, %184 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    %236 = llvm_ext.fcmp "ugt" %235, %183 : vector<4xf32>
    %237 = llvm_ext.fcmp "ord" %183, %183 : vector<4xf32>
    %238 = llvm.and %236, %237 : vector<4xi1>
    %239 = llvm.add %186, %189 : vector<4xi64>
    %240 = llvm_ext.select %238, %235, %183 : vector<4xi1>, vector<4xf32>
    %241 = llvm_ext.select %238, %239, %186 : vector<4xi1>, vector<4xi64>
    %242 = llvm_ext.select %184, %240, %183 : vector<4xi1>, vector<4xf32>
    %243 = llvm_ext.select %184, %241, %186 : vector<4xi1>, vector<4xi64>
    %244 = llvm_ext.intr.vector.reduce.fmaximum(%242) {fastmathFlags = #llvm.fastmath<reassoc>} : (vector<4xf32>) -> f32
    %245 = llvm.insertelement %244, %180[%181 : i64] : vector<4xf32>
    %246 = llvm.shufflevector %245, %180 [0, 0, 0, 0] : vector<4xf32>
    %247 = llvm_ext.fcmp "oeq" %242, %246 : vector<4xf32>
    %248 = llvm_ext.fcmp "uno" %242, %242 : vector<4xf32>
    %249 = llvm.or %247, %248 : vector<4xi1>
    %250 = llvm_ext.select %249, %243, %187 : vector<4xi1>, vector<4xi64>
    %251 = llvm_ext.intr.vector.reduce.smin(%250) : (vector<4xi64>) -> i64
    llvm.store %251, %161 {alignment = 8 : i64} : i64, !llvm.ptr
    llvm.return
  }
  llvm.func internal @segment_0(%252: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 24 : i64}, %253: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 72 : i64}, %image_1: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 48 : i64}, %resize_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 36 : i64}, %normalize: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 144 : i64}) attributes {no_unwind} {
    llvm.call @resample(%252, %253, %image_1, %resize_1) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.call @cast_div_sub(%resize_1, %normalize) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @segment_0_entry(%table: !llvm.ptr) attributes {no_unwind} {
    %254 = llvm.load %table {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %255 = llvm_ext.getelementptr %table[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %256 = llvm.load %255 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %257 = llvm_ext.getelementptr %table[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %258 = llvm.load %257 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %259 = llvm_ext.getelementptr %table[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %260 = llvm.load %259 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %261 = llvm_ext.getelementptr %table[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %262 = llvm.load %261 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    llvm.call @segment_0(%254, %256, %258, %260, %262) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func internal @segment_1(%pool: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}, %fc_weight_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 128 : i64}, %fc_bias_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %fc_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %probabilities: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %label: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 8 : i64}) attributes {no_unwind} {
    llvm.call @linear(%pool, %fc_weight_1, %fc_bias_1, %fc_1) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.call @reduce_max_sub_exp_more(%fc_1, %probabilities, %label) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @segment_1_entry(%table_1: !llvm.ptr) attributes {no_unwind} {
    %263 = llvm.load %table_1 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %264 = llvm_ext.getelementptr %table_1[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %265 = llvm.load %264 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %266 = llvm_ext.getelementptr %table_1[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %267 = llvm.load %266 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %268 = llvm_ext.getelementptr %table_1[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %269 = llvm.load %268 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %270 = llvm_ext.getelementptr %table_1[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %271 = llvm.load %270 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %272 = llvm_ext.getelementptr %table_1[5] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %273 = llvm.load %272 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    llvm.call @segment_1(%263, %265, %267, %269, %271, %273) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
}
