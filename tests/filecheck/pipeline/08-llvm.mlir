// RUN: devproc-opt %s -t llvm-ir | filecheck %s

// The end of the story in MLIR: the target prints the CPU's part as LLVM IR.

// CHECK: define internal void @linear(ptr {{.*}}noalias
// CHECK: call <4 x float> @llvm.fma.v4f32
// CHECK: define void @segment_0_entry(ptr
// CHECK: define void @segment_1_entry(ptr

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu+cuda", vector_bits = 128, threads = 1, precision = "default", arch = "sm_90", interpret = 1>, devproc.placement = [["nn.conv2d", "cuda"], ["nn.relu", "cuda"], ["nn.max_pool2d", "cuda"]]} {
  func.func @main(%image: memref<6x8xi8, #dev.on<"cpu">> {dev.name = "image", dev.dtype = "uint8", dev.role = "input"}, %probabilities: memref<1x3xf32, #dev.on<"cpu">> {dev.name = "probabilities", dev.role = "output"}, %label: memref<1xi64, #dev.on<"cpu">> {dev.name = "label", dev.role = "output"}) {
    %cpu_arena = plan.arena "cpu" : memref<256xi8, #dev.on<"cpu">>
    %normalize = plan.buffer %cpu_arena id 0 offset 0 bytes 144 live 0 to 5 : memref<256xi8, #dev.on<"cpu">> -> memref<6x6xf32, #dev.on<"cpu">>
    %pool = plan.buffer %cpu_arena id 1 offset 192 bytes 32 live 4 to 6 : memref<256xi8, #dev.on<"cpu">> -> memref<1x2x2x2xf32, #dev.on<"cpu">>
    %fc = plan.buffer %cpu_arena id 2 offset 0 bytes 12 live 6 to 7 : memref<256xi8, #dev.on<"cpu">> -> memref<1x3xf32, #dev.on<"cpu">>
    %cuda_arena = plan.arena "cuda" : memref<320xi8, #dev.on<"cuda">>
    %layout = plan.buffer %cuda_arena id 0 offset 0 bytes 144 live 1 to 2 : memref<320xi8, #dev.on<"cuda">> -> memref<1x1x6x6xf32, #dev.on<"cuda">>
    %relu = plan.buffer %cuda_arena id 1 offset 192 bytes 128 live 2 to 3 : memref<320xi8, #dev.on<"cuda">> -> memref<1x2x4x4xf32, #dev.on<"cuda">>
    %pool_1 = plan.buffer %cuda_arena id 2 offset 0 bytes 32 live 3 to 4 : memref<320xi8, #dev.on<"cuda">> -> memref<1x2x2x2xf32, #dev.on<"cuda">>
    %0 = plan.weight @prepare.0 hash "21054d20b71216ba" : memref<6xi32, #dev.on<"cpu">>
    %1 = plan.weight @prepare.1 hash "90ad73a8ae9128d7" : memref<6x3xi32, #dev.on<"cpu">>
    %conv_weight = plan.weight @model.conv.weight hash "6a9fe95ea6d1680d" : memref<2x1x3x3xf32, #dev.on<"cuda">>
    %conv_bias = plan.weight @model.conv.bias hash "ccd76d5e4b81be61" : memref<2xf32, #dev.on<"cuda">>
    %fc_bias = plan.weight @model.fc.bias hash "5e53a9d1c1c0be0c" : memref<3xf32, #dev.on<"cpu">>
    plan.launch @segment_0(%0, %1, %image) -> (%normalize) {plan.step = 0 : i64} : (memref<6xi32, #dev.on<"cpu">>, memref<6x3xi32, #dev.on<"cpu">>, memref<6x8xi8, #dev.on<"cpu">>) -> (memref<6x6xf32, #dev.on<"cpu">>)
    %layout_1 = plan.view %normalize : memref<6x6xf32, #dev.on<"cpu">> -> memref<1x1x6x6xf32, #dev.on<"cpu">>
    plan.copy %layout_1 to %layout {plan.step = 1 : i64} : memref<1x1x6x6xf32, #dev.on<"cpu">> to memref<1x1x6x6xf32, #dev.on<"cuda">>
    plan.launch @conv2d_relu(%layout, %conv_weight, %conv_bias) -> (%relu) {plan.step = 2 : i64} : (memref<1x1x6x6xf32, #dev.on<"cuda">>, memref<2x1x3x3xf32, #dev.on<"cuda">>, memref<2xf32, #dev.on<"cuda">>) -> (memref<1x2x4x4xf32, #dev.on<"cuda">>)
    plan.launch @max_pool2d(%relu) -> (%pool_1) {plan.step = 3 : i64} : (memref<1x2x4x4xf32, #dev.on<"cuda">>) -> (memref<1x2x2x2xf32, #dev.on<"cuda">>)
    plan.copy %pool_1 to %pool {plan.step = 4 : i64} : memref<1x2x2x2xf32, #dev.on<"cuda">> to memref<1x2x2x2xf32, #dev.on<"cpu">>
    dev.sync "cuda" {plan.step = 5 : i64}
    %fc_weight = plan.weight @prepare.2 hash "af96e8a35b17df3f" : memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>
    plan.launch @segment_1(%pool, %fc_weight, %fc_bias) -> (%fc, %probabilities, %label) {plan.step = 6 : i64, plan.last_step = 7 : i64} : (memref<1x2x2x2xf32, #dev.on<"cpu">>, memref<3x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [4, 1]>>>, memref<3xf32, #dev.on<"cpu">>) -> (memref<1x3xf32, #dev.on<"cpu">>, memref<1x3xf32, #dev.on<"cpu">>, memref<1xi64, #dev.on<"cpu">>)
    func.return
  }
  func.func private @prepare() -> (tensor<6xi32>, tensor<6x3xi32>, tensor<1x8x4xf32>) {
    %0, %1 = nn.resample_taps 8 to 6 mode "bilinear" like "pillow" as "int32" : tensor<6xi32>, tensor<6x3xi32>
    %2 = nn.weight @model.fc.weight hash "a9a97e5b7d1c8b55" : tensor<3x8xf32>
    %3 = nn.pack %2 as <[0, 1], [4, 1]> : (tensor<3x8xf32>) -> tensor<1x8x4xf32>
    func.return %0, %1, %3 : tensor<6xi32>, tensor<6x3xi32>, tensor<1x8x4xf32>
  }
  llvm.func internal @resample_cast_div_more(%0: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 24 : i64}, %1: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 72 : i64}, %image: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 48 : i64}, %2: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 144 : i64}) attributes {no_unwind} {
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
    %17 = llvm.mlir.constant(dense<2.550000e+02> : vector<4xf32>) : vector<4xf32>
    %18 = llvm.mlir.constant(dense<5.000000e-01> : vector<4xf32>) : vector<4xf32>
    %19 = llvm.mlir.constant(dense<2.500000e-01> : vector<4xf32>) : vector<4xf32>
    %20 = llvm.mlir.poison : vector<4xi64>
    llvm.br ^bb1(%3 : i64)
  ^bb1(%21: i64):
    llvm.br ^bb2(%3, %7 : i64, vector<4xi32>)
  ^bb2(%22: i64, %23: vector<4xi32>):
    %24 = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %25 = llvm.getelementptr inbounds %1[0, %22] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i32>
    %26 = llvm.load %25 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %27 = llvm.add %22, %6 : i64
    %28 = llvm.getelementptr inbounds %1[0, %27] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i32>
    %29 = llvm.load %28 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %30 = llvm.add %22, %9 : i64
    %31 = llvm.getelementptr %1[0, %30] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i32>
    %32 = llvm.intr.masked.load %31, %10, %11 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
    %33 = llvm.shufflevector %26, %29 [0, 3, 6, 0] : vector<4xi32>
    %34 = llvm.shufflevector %33, %32 [0, 1, 2, 5] : vector<4xi32>
    %35 = llvm.sext %24 : vector<4xi32> to vector<4xi64>
    %36 = llvm.insertelement %22, %20[%3 : i64] : vector<4xi64>
    %37 = llvm.shufflevector %36, %20 [0, 0, 0, 0] : vector<4xi64>
    %38 = llvm.add %35, %37 : vector<4xi64>
    %39 = llvm.trunc %38 : vector<4xi64> to vector<4xi32>
    %40 = llvm.getelementptr %image[%21, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x i8>
    %41 = llvm.getelementptr %40[%39] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, i8
    %42 = llvm.intr.masked.gather %41, %13, %12 {alignment = 1 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xi8>) -> vector<4xi8>
    %43 = llvm.zext %42 : vector<4xi8> to vector<4xi32>
    %44 = llvm.mul %43, %34 : vector<4xi32>
    %45 = llvm.add %23, %44 : vector<4xi32>
    %46 = llvm.add %22, %5 overflow<nsw> : i64
    %47 = llvm.icmp "slt" %46, %8 : i64
    llvm.cond_br %47, ^bb2(%46, %45 : i64, vector<4xi32>), ^bb3(%45 : vector<4xi32>)
  ^bb3(%48: vector<4xi32>):
    %49 = llvm.ashr %48, %14 : vector<4xi32>
    %50 = llvm.intr.smax(%49, %15) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %51 = llvm.intr.smin(%50, %16) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %52 = llvm.trunc %51 : vector<4xi32> to vector<4xi8>
    %53 = llvm.uitofp %52 : vector<4xi8> to vector<4xf32>
    %54 = llvm.fdiv %53, %17 : vector<4xf32>
    %55 = llvm.fsub %54, %18 : vector<4xf32>
    %56 = llvm.fdiv %55, %19 : vector<4xf32>
    %57 = llvm.getelementptr inbounds %2[%21, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<6 x f32>
    llvm.store %56, %57 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    llvm.br ^bb4(%3, %7 : i64, vector<4xi32>)
  ^bb4(%58: i64, %59: vector<4xi32>):
    %60 = llvm.getelementptr %0[4] : (!llvm.ptr) -> !llvm.ptr, i32
    %61 = llvm.intr.masked.load %60, %10, %11 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
    %62 = llvm.getelementptr inbounds %1[4, %58] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x i32>
    %63 = llvm.load %62 {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
    %64 = llvm.shufflevector %63, %63 [0, 3, 6, 0] : vector<4xi32>
    %65 = llvm.sext %61 : vector<4xi32> to vector<4xi64>
    %66 = llvm.insertelement %58, %20[%3 : i64] : vector<4xi64>
    %67 = llvm.shufflevector %66, %20 [0, 0, 0, 0] : vector<4xi64>
    %68 = llvm.add %65, %67 : vector<4xi64>
    %69 = llvm.trunc %68 : vector<4xi64> to vector<4xi32>
    %70 = llvm.getelementptr %image[%21, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x i8>
    %71 = llvm.getelementptr %70[%69] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, i8
    %72 = llvm.intr.masked.gather %71, %10, %12 {alignment = 1 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xi8>) -> vector<4xi8>
    %73 = llvm.zext %72 : vector<4xi8> to vector<4xi32>
    %74 = llvm.mul %73, %64 : vector<4xi32>
    %75 = llvm.add %59, %74 : vector<4xi32>
    %76 = llvm.add %58, %5 overflow<nsw> : i64
    %77 = llvm.icmp "slt" %76, %8 : i64
    llvm.cond_br %77, ^bb4(%76, %75 : i64, vector<4xi32>), ^bb5(%75 : vector<4xi32>)
  ^bb5(%78: vector<4xi32>):
    %79 = llvm.ashr %78, %14 : vector<4xi32>
    %80 = llvm.intr.smax(%79, %15) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %81 = llvm.intr.smin(%80, %16) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
    %82 = llvm.trunc %81 : vector<4xi32> to vector<4xi8>
    %83 = llvm.uitofp %82 : vector<4xi8> to vector<4xf32>
    %84 = llvm.fdiv %83, %17 : vector<4xf32>
    %85 = llvm.fsub %84, %18 : vector<4xf32>
    %86 = llvm.fdiv %85, %19 : vector<4xf32>
    %87 = llvm.getelementptr %2[%21, 4] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<6 x f32>
    llvm.intr.masked.store %86, %87, %10 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    %88 = llvm.add %21, %5 overflow<nsw> : i64
    %89 = llvm.icmp "slt" %88, %4 : i64
    llvm.cond_br %89, ^bb1(%88 : i64), ^bb6
  ^bb6:
    llvm.return
  }
  triton.func @conv2d_relu(%layout: !triton.ptr<f32>, %conv_weight: !triton.ptr<f32>, %conv_bias: !triton.ptr<f32>, %90: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "window", ["nn.conv2d", "nn.relu"]>} {
    %91 = arith.constant 3 : i32
    %92 = arith.constant 6 : i32
    %93 = arith.constant 4 : i32
    %94 = arith.constant 16 : i32
    %95 = arith.constant 9 : i32
    %96 = arith.constant 0.000000e+00 : f32
    %97 = arith.constant 2 : i32
    %lanes = triton.arange : tensor<16xi32>
    %m = triton.expand_dims %lanes axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %n = triton.expand_dims %lanes axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %98 = triton.splat %97 : i32 -> tensor<1x16xi32>
    %in_n = triton.compare "slt" %n, %98 : tensor<1x16xi32> -> tensor<1x16xi1>
    %99 = triton.splat %96 : f32 -> tensor<16x16xf32>
    %100 = triton.splat %95 : i32 -> tensor<1x16xi32>
    %in_k = triton.compare "slt" %n, %100 : tensor<1x16xi32> -> tensor<1x16xi1>
    %101 = triton.splat %95 : i32 -> tensor<16x1xi32>
    %in_k_1 = triton.compare "slt" %m, %101 : tensor<16x1xi32> -> tensor<16x1xi1>
    %102 = triton.splat %94 : i32 -> tensor<16x1xi32>
    %103 = arith.divsi %m, %102 : tensor<16x1xi32>
    %104 = triton.splat %93 : i32 -> tensor<16x1xi32>
    %105 = arith.divsi %m, %104 : tensor<16x1xi32>
    %106 = triton.splat %92 : i32 -> tensor<16x1xi32>
    %107 = arith.muli %105, %106 : tensor<16x1xi32>
    %108 = arith.remsi %m, %104 : tensor<16x1xi32>
    %109 = arith.addi %107, %108 : tensor<16x1xi32>
    %110 = arith.divsi %n, %100 : tensor<1x16xi32>
    %111 = triton.splat %91 : i32 -> tensor<1x16xi32>
    %112 = arith.divsi %n, %111 : tensor<1x16xi32>
    %113 = triton.splat %92 : i32 -> tensor<1x16xi32>
    %114 = arith.muli %112, %113 : tensor<1x16xi32>
    %115 = triton.broadcast %109 : tensor<16x1xi32> -> tensor<16x16xi32>
    %116 = triton.broadcast %114 : tensor<1x16xi32> -> tensor<16x16xi32>
    %117 = arith.addi %115, %116 : tensor<16x16xi32>
    %118 = arith.remsi %n, %111 : tensor<1x16xi32>
    %119 = triton.broadcast %118 : tensor<1x16xi32> -> tensor<16x16xi32>
    %120 = arith.addi %117, %119 : tensor<16x16xi32>
    %121 = triton.addptr %layout, %120 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    %122 = triton.broadcast %in_k : tensor<1x16xi1> -> tensor<16x16xi1>
    %layout_1 = triton.load %121 mask %122 : tensor<16x16xi1> other %99 : tensor<16x16xf32> : tensor<16x16x!triton.ptr<f32>> -> tensor<16x16xf32>
    %123 = arith.muli %n, %100 : tensor<1x16xi32>
    %124 = triton.broadcast %m : tensor<16x1xi32> -> tensor<16x16xi32>
    %125 = triton.broadcast %123 : tensor<1x16xi32> -> tensor<16x16xi32>
    %126 = arith.addi %124, %125 : tensor<16x16xi32>
    %127 = triton.broadcast %in_k_1 : tensor<16x1xi1> -> tensor<16x16xi1>
    %128 = triton.broadcast %in_n : tensor<1x16xi1> -> tensor<16x16xi1>
    %129 = arith.andi %127, %128 : tensor<16x16xi1>
    %130 = triton.addptr %conv_weight, %126 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    %conv_weight_1 = triton.load %130 mask %129 : tensor<16x16xi1> other %99 : tensor<16x16xf32> : tensor<16x16x!triton.ptr<f32>> -> tensor<16x16xf32>
    %acc = triton.dot %layout_1, %conv_weight_1, %99 "ieee" : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %131 = triton.addptr %conv_bias, %n : !triton.ptr<f32>, tensor<1x16xi32> -> tensor<1x16x!triton.ptr<f32>>
    %132 = triton.splat %96 : f32 -> tensor<1x16xf32>
    %conv_bias_1 = triton.load %131 mask %in_n : tensor<1x16xi1> other %132 : tensor<1x16xf32> : tensor<1x16x!triton.ptr<f32>> -> tensor<1x16xf32>
    %133 = triton.broadcast %conv_bias_1 : tensor<1x16xf32> -> tensor<16x16xf32>
    %134 = arith.addf %acc, %133 : tensor<16x16xf32>
    %135 = arith.maximumf %134, %99 : tensor<16x16xf32>
    %136 = triton.splat %94 : i32 -> tensor<1x16xi32>
    %137 = arith.muli %n, %136 : tensor<1x16xi32>
    %138 = triton.broadcast %137 : tensor<1x16xi32> -> tensor<16x16xi32>
    %139 = arith.addi %124, %138 : tensor<16x16xi32>
    %140 = triton.addptr %90, %139 : !triton.ptr<f32>, tensor<16x16xi32> -> tensor<16x16x!triton.ptr<f32>>
    triton.store %140, %135 mask %128 : tensor<16x16xi1> : tensor<16x16x!triton.ptr<f32>>, tensor<16x16xf32>
    triton.return
  }
  triton.func @max_pool2d(%relu: !triton.ptr<f32>, %90: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "window", ["nn.max_pool2d"]>} {
    %91 = arith.constant 1 : i32
    %92 = arith.constant 0 : i32
    %93 = arith.constant 4 : i32
    %94 = arith.constant 8 : i32
    %95 = arith.constant 2 : i32
    %96 = arith.constant 0xff800000 : f32
    %lanes = triton.arange : tensor<8xi32>
    %97 = triton.splat %96 : f32 -> tensor<8xf32>
    %98 = triton.splat %95 : i32 -> tensor<8xi32>
    %99 = arith.divsi %lanes, %98 : tensor<8xi32>
    %100 = triton.splat %94 : i32 -> tensor<8xi32>
    %101 = arith.muli %99, %100 : tensor<8xi32>
    %102 = arith.remsi %lanes, %98 : tensor<8xi32>
    %103 = arith.muli %102, %98 : tensor<8xi32>
    %104 = arith.addi %101, %103 : tensor<8xi32>
    %105 = scf.for %k = %92 to %95 step %91 iter_args(%acc = %97) -> (tensor<8xf32>) : i32 {
      %106 = arith.muli %k, %93 : i32
      %107 = triton.splat %106 : i32 -> tensor<8xi32>
      %108 = arith.addi %104, %107 : tensor<8xi32>
      %109 = scf.for %k_1 = %92 to %95 step %91 iter_args(%acc_1 = %acc) -> (tensor<8xf32>) : i32 {
        %110 = triton.splat %k_1 : i32 -> tensor<8xi32>
        %111 = arith.addi %108, %110 : tensor<8xi32>
        %112 = triton.addptr %relu, %111 : !triton.ptr<f32>, tensor<8xi32> -> tensor<8x!triton.ptr<f32>>
        %relu_1 = triton.load %112 : tensor<8x!triton.ptr<f32>> -> tensor<8xf32>
        %113 = arith.maximumf %relu_1, %acc_1 : tensor<8xf32>
        scf.yield %113 : tensor<8xf32>
      }
      scf.yield %109 : tensor<8xf32>
    }
    %114 = triton.addptr %90, %lanes : !triton.ptr<f32>, tensor<8xi32> -> tensor<8x!triton.ptr<f32>>
    triton.store %114, %105 : tensor<8x!triton.ptr<f32>>, tensor<8xf32>
    triton.return
  }
  llvm.func internal @linear(%flatten: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}, %fc_weight: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 96 : i64}, %fc_bias: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %90: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}) attributes {no_unwind} {
    %91 = llvm.mlir.constant(0) : i64
    %92 = llvm.mlir.constant(1) : i64
    %93 = llvm.mlir.constant(4) : i64
    %94 = llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>) : vector<4xf32>
    %95 = llvm.mlir.constant(8) : i64
    %96 = llvm.mlir.constant(2) : i64
    %97 = llvm.mlir.constant(3) : i64
    %98 = llvm.mlir.constant(dense<[true, true, true, false]> : vector<4xi1>) : vector<4xi1>
    %99 = llvm.mlir.poison : vector<4xf32>
    llvm.br ^bb1(%91, %94, %94, %94, %94 : i64, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
  ^bb1(%100: i64, %101: vector<4xf32>, %102: vector<4xf32>, %103: vector<4xf32>, %104: vector<4xf32>):
    %105 = llvm.getelementptr inbounds %fc_weight[0, %100, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x !llvm.array<4 x f32>>
    %106 = llvm.load %105 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %107 = llvm.getelementptr inbounds %flatten[%100] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %108 = llvm.load %107 {alignment = 4 : i64} : !llvm.ptr -> f32
    %109 = llvm.insertelement %108, %99[%91 : i64] : vector<4xf32>
    %110 = llvm.shufflevector %109, %99 [0, 0, 0, 0] : vector<4xf32>
    %111 = llvm.intr.fma(%110, %106, %101) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %112 = llvm.add %100, %92 : i64
    %113 = llvm.getelementptr inbounds %fc_weight[0, %112, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x !llvm.array<4 x f32>>
    %114 = llvm.load %113 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %115 = llvm.getelementptr inbounds %flatten[%112] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %116 = llvm.load %115 {alignment = 4 : i64} : !llvm.ptr -> f32
    %117 = llvm.insertelement %116, %99[%91 : i64] : vector<4xf32>
    %118 = llvm.shufflevector %117, %99 [0, 0, 0, 0] : vector<4xf32>
    %119 = llvm.intr.fma(%118, %114, %102) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %120 = llvm.add %100, %96 : i64
    %121 = llvm.getelementptr inbounds %fc_weight[0, %120, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x !llvm.array<4 x f32>>
    %122 = llvm.load %121 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %123 = llvm.getelementptr inbounds %flatten[%120] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %124 = llvm.load %123 {alignment = 4 : i64} : !llvm.ptr -> f32
    %125 = llvm.insertelement %124, %99[%91 : i64] : vector<4xf32>
    %126 = llvm.shufflevector %125, %99 [0, 0, 0, 0] : vector<4xf32>
    %127 = llvm.intr.fma(%126, %122, %103) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %128 = llvm.add %100, %97 : i64
    %129 = llvm.getelementptr inbounds %fc_weight[0, %128, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x !llvm.array<4 x f32>>
    %130 = llvm.load %129 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %131 = llvm.getelementptr inbounds %flatten[%128] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %132 = llvm.load %131 {alignment = 4 : i64} : !llvm.ptr -> f32
    %133 = llvm.insertelement %132, %99[%91 : i64] : vector<4xf32>
    %134 = llvm.shufflevector %133, %99 [0, 0, 0, 0] : vector<4xf32>
    %135 = llvm.intr.fma(%134, %130, %104) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %136 = llvm.add %100, %93 overflow<nsw> : i64
    %137 = llvm.icmp "slt" %136, %95 : i64
    llvm.cond_br %137, ^bb1(%136, %111, %119, %127, %135 : i64, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>), ^bb2(%111, %119, %127, %135 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
  ^bb2(%138: vector<4xf32>, %139: vector<4xf32>, %140: vector<4xf32>, %141: vector<4xf32>):
    %142 = llvm.fadd %138, %139 : vector<4xf32>
    %143 = llvm.fadd %142, %140 : vector<4xf32>
    %144 = llvm.fadd %143, %141 : vector<4xf32>
    %145 = llvm.intr.masked.load %fc_bias, %98, %94 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %146 = llvm.fadd %144, %145 : vector<4xf32>
    llvm.intr.masked.store %146, %90, %98 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    llvm.return
  }
  llvm.func internal @reduce_max_sub_exp_more(%fc: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %147: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %148: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 8 : i64}) attributes {no_unwind} {
    %149 = llvm.mlir.constant(dense<-1.040000e+02> : vector<4xf32>) : vector<4xf32>
    %150 = llvm.mlir.constant(dense<8.900000e+01> : vector<4xf32>) : vector<4xf32>
    %151 = llvm.mlir.constant(dense<0x4B400000> : vector<4xf32>) : vector<4xf32>
    %152 = llvm.mlir.constant(dense<1.44269502> : vector<4xf32>) : vector<4xf32>
    %153 = llvm.mlir.constant(dense<-0.693145752> : vector<4xf32>) : vector<4xf32>
    %154 = llvm.mlir.constant(dense<-1.42860677e-06> : vector<4xf32>) : vector<4xf32>
    %155 = llvm.mlir.constant(dense<0.000198909809> : vector<4xf32>) : vector<4xf32>
    %156 = llvm.mlir.constant(dense<0.00139336416> : vector<4xf32>) : vector<4xf32>
    %157 = llvm.mlir.constant(dense<0.00833331048> : vector<4xf32>) : vector<4xf32>
    %158 = llvm.mlir.constant(dense<0.0416664667> : vector<4xf32>) : vector<4xf32>
    %159 = llvm.mlir.constant(dense<0.166666672> : vector<4xf32>) : vector<4xf32>
    %160 = llvm.mlir.constant(dense<5.000000e-01> : vector<4xf32>) : vector<4xf32>
    %161 = llvm.mlir.constant(dense<1.000000e+00> : vector<4xf32>) : vector<4xf32>
    %162 = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    %163 = llvm.mlir.constant(dense<127> : vector<4xi32>) : vector<4xi32>
    %164 = llvm.mlir.constant(dense<23> : vector<4xi32>) : vector<4xi32>
    %165 = llvm.mlir.constant(0) : i64
    %166 = llvm.mlir.poison : vector<4xf32>
    %167 = llvm.mlir.constant(0xff800000 : f32) : f32
    %168 = llvm.insertelement %167, %166[%165 : i64] : vector<4xf32>
    %169 = llvm.shufflevector %168, %166 [0, 0, 0, 0] : vector<4xf32>
    %170 = llvm.mlir.constant(dense<[true, true, true, false]> : vector<4xi1>) : vector<4xi1>
    %171 = llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>) : vector<4xf32>
    %172 = llvm.mlir.constant(dense<0> : vector<4xi64>) : vector<4xi64>
    %173 = llvm.mlir.constant(dense<9223372036854775807> : vector<4xi64>) : vector<4xi64>
    %174 = llvm.mlir.constant(0.000000e+00 : f32) : f32
    %175 = llvm.mlir.constant(-0.000000e+00 : f32) : f32
    %176 = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi64>) : vector<4xi64>
    %177 = llvm.intr.masked.load %fc, %170, %171 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %178 = llvm.intr.maximum(%177, %169) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %179 = llvm.select %170, %178, %169 : vector<4xi1>, vector<4xf32>
    %180 = llvm.intr.vector.reduce.fmaximum(%179) {fastmathFlags = #llvm.fastmath<reassoc>} : (vector<4xf32>) -> f32
    %181 = llvm.intr.maximum(%167, %180) : (f32, f32) -> f32
    %182 = llvm.intr.masked.load %fc, %170, %171 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %183 = llvm.insertelement %181, %166[%165 : i64] : vector<4xf32>
    %184 = llvm.shufflevector %183, %166 [0, 0, 0, 0] : vector<4xf32>
    %185 = llvm.fsub %182, %184 : vector<4xf32>
    %186 = llvm.fcmp "olt" %185, %149 : vector<4xf32>
    %187 = llvm.select %186, %149, %185 : vector<4xi1>, vector<4xf32>
    %188 = llvm.fcmp "ogt" %187, %150 : vector<4xf32>
    %189 = llvm.select %188, %150, %187 : vector<4xi1>, vector<4xf32>
    %190 = llvm.intr.fma(%189, %152, %151) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %191 = llvm.bitcast %190 : vector<4xf32> to vector<4xi32>
    %192 = llvm.bitcast %151 : vector<4xf32> to vector<4xi32>
    %193 = llvm.sub %191, %192 : vector<4xi32>
    %194 = llvm.fsub %190, %151 : vector<4xf32>
    %195 = llvm.intr.fma(%194, %153, %189) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %196 = llvm.intr.fma(%194, %154, %195) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %197 = llvm.intr.fma(%155, %196, %156) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %198 = llvm.intr.fma(%197, %196, %157) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %199 = llvm.intr.fma(%198, %196, %158) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %200 = llvm.intr.fma(%199, %196, %159) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %201 = llvm.intr.fma(%200, %196, %160) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %202 = llvm.fmul %196, %196 : vector<4xf32>
    %203 = llvm.intr.fma(%202, %201, %196) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %204 = llvm.fadd %203, %161 : vector<4xf32>
    %205 = llvm.ashr %193, %162 : vector<4xi32>
    %206 = llvm.sub %193, %205 : vector<4xi32>
    %207 = llvm.add %205, %163 : vector<4xi32>
    %208 = llvm.shl %207, %164 : vector<4xi32>
    %209 = llvm.bitcast %208 : vector<4xi32> to vector<4xf32>
    %210 = llvm.fmul %204, %209 : vector<4xf32>
    %211 = llvm.add %206, %163 : vector<4xi32>
    %212 = llvm.shl %211, %164 : vector<4xi32>
    %213 = llvm.bitcast %212 : vector<4xi32> to vector<4xf32>
    %214 = llvm.fmul %210, %213 : vector<4xf32>
    llvm.intr.masked.store %214, %147, %170 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    %215 = llvm.fadd %171, %214 : vector<4xf32>
    %216 = llvm.select %170, %215, %171 : vector<4xi1>, vector<4xf32>
    %217 = "llvm.intr.vector.reduce.fadd"(%175, %216) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<4xf32>) -> f32
    %218 = llvm.fadd %174, %217 : f32
    %219 = llvm.intr.masked.load %147, %170, %171 {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    %220 = llvm.insertelement %218, %166[%165 : i64] : vector<4xf32>
    %221 = llvm.shufflevector %220, %166 [0, 0, 0, 0] : vector<4xf32>
    %222 = llvm.fdiv %219, %221 : vector<4xf32>
    llvm.intr.masked.store %222, %147, %170 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    %223 = llvm.fcmp "ugt" %222, %169 : vector<4xf32>
    %224 = llvm.fcmp "ord" %169, %169 : vector<4xf32>
    %225 = llvm.and %223, %224 : vector<4xi1>
    %226 = llvm.add %172, %176 : vector<4xi64>
    %227 = llvm.select %225, %222, %169 : vector<4xi1>, vector<4xf32>
    %228 = llvm.select %225, %226, %172 : vector<4xi1>, vector<4xi64>
    %229 = llvm.select %170, %227, %169 : vector<4xi1>, vector<4xf32>
    %230 = llvm.select %170, %228, %172 : vector<4xi1>, vector<4xi64>
    %231 = llvm.intr.vector.reduce.fmaximum(%229) {fastmathFlags = #llvm.fastmath<reassoc>} : (vector<4xf32>) -> f32
    %232 = llvm.insertelement %231, %166[%165 : i64] : vector<4xf32>
    %233 = llvm.shufflevector %232, %166 [0, 0, 0, 0] : vector<4xf32>
    %234 = llvm.fcmp "oeq" %229, %233 : vector<4xf32>
    %235 = llvm.fcmp "uno" %229, %229 : vector<4xf32>
    %236 = llvm.or %234, %235 : vector<4xi1>
    %237 = llvm.select %236, %230, %173 : vector<4xi1>, vector<4xi64>
    %238 = llvm.intr.vector.reduce.smin(%237) : (vector<4xi64>) -> i64
    llvm.store %238, %148 {alignment = 8 : i64} : i64, !llvm.ptr
    llvm.return
  }
  llvm.func internal @segment_0(%239: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 24 : i64}, %240: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 72 : i64}, %image_1: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 48 : i64}, %normalize: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 144 : i64}) attributes {no_unwind} {
    llvm.call @resample_cast_div_more(%239, %240, %image_1, %normalize) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @segment_0_entry(%table: !llvm.ptr) attributes {no_unwind} {
    %241 = llvm.load %table {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %242 = llvm.getelementptr inbounds %table[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %243 = llvm.load %242 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %244 = llvm.getelementptr inbounds %table[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %245 = llvm.load %244 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %246 = llvm.getelementptr inbounds %table[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %247 = llvm.load %246 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    llvm.call @segment_0(%241, %243, %245, %247) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func internal @segment_1(%pool: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 32 : i64}, %fc_weight_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 96 : i64}, %fc_bias_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %fc_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %probabilities: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %label: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 8 : i64}) attributes {no_unwind} {
    llvm.call @linear(%pool, %fc_weight_1, %fc_bias_1, %fc_1) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.call @reduce_max_sub_exp_more(%fc_1, %probabilities, %label) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @segment_1_entry(%table_1: !llvm.ptr) attributes {no_unwind} {
    %248 = llvm.load %table_1 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %249 = llvm.getelementptr inbounds %table_1[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %250 = llvm.load %249 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %251 = llvm.getelementptr inbounds %table_1[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %252 = llvm.load %251 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %253 = llvm.getelementptr inbounds %table_1[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %254 = llvm.load %253 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %255 = llvm.getelementptr inbounds %table_1[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %256 = llvm.load %255 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %257 = llvm.getelementptr inbounds %table_1[5] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %258 = llvm.load %257 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    llvm.call @segment_1(%248, %250, %252, %254, %256, %258) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
}
