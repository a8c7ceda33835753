// RUN: devproc-opt %s -t llvm-ir | filecheck %s

// The end of the story in MLIR: the target prints it as LLVM IR.

// CHECK: define internal void @linear_relu(ptr {{.*}}noalias
// CHECK: call <8 x float> @llvm.fma.v8f32
// CHECK: define void @segment_0_entry(ptr

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu", vector_bits = 256, threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
  func.func @main(%image: memref<3x4x1xi8, #dev.on<"cpu">> {dev.name = "image", dev.dtype = "uint8", dev.role = "input"}, %probabilities: memref<1x4xf32, #dev.on<"cpu">> {dev.name = "probabilities", dev.role = "output"}, %label: memref<1xi64, #dev.on<"cpu">> {dev.name = "label", dev.role = "output"}) {
    %cpu_arena = plan.arena "cpu" : memref<128xi8, #dev.on<"cpu">>
    %normalize = plan.buffer %cpu_arena id 0 offset 0 bytes 48 live 0 to 1 : memref<128xi8, #dev.on<"cpu">> -> memref<3x4x1xf32, #dev.on<"cpu">>
    %relu = plan.buffer %cpu_arena id 1 offset 64 bytes 16 live 1 to 3 : memref<128xi8, #dev.on<"cpu">> -> memref<1x4xf32, #dev.on<"cpu">>
    %w1_bias = plan.weight @model.1.bias hash "ccd76d5e4b81be61" : memref<4xf32, #dev.on<"cpu">>
    %w1_weight = plan.weight @prepare.0 hash "442ecd2ab4dfaf97" : memref<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>
    plan.launch @segment_0(%image, %w1_weight, %w1_bias) -> (%normalize, %relu, %probabilities, %label) {plan.step = 0 : i64, plan.last_step = 3 : i64} : (memref<3x4x1xi8, #dev.on<"cpu">>, memref<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>, memref<4xf32, #dev.on<"cpu">>) -> (memref<3x4x1xf32, #dev.on<"cpu">>, memref<1x4xf32, #dev.on<"cpu">>, memref<1x4xf32, #dev.on<"cpu">>, memref<1xi64, #dev.on<"cpu">>)
    func.return
  }
  llvm.func internal @cast_div_sub(%image: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %0: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 48 : i64}) attributes {no_unwind} {
    %1 = llvm.mlir.constant(dense<2.550000e+02> : vector<8xf32>) : vector<8xf32>
    %2 = llvm.mlir.constant(dense<5.000000e-01> : vector<8xf32>) : vector<8xf32>
    %3 = llvm.mlir.constant(dense<2.500000e-01> : vector<8xf32>) : vector<8xf32>
    %4 = llvm.mlir.constant(dense<[true, true, true, true, false, false, false, false]> : vector<8xi1>) : vector<8xi1>
    %5 = llvm.mlir.constant(dense<1> : vector<8xi8>) : vector<8xi8>
    %6 = llvm.load %image {alignment = 1 : i64} : !llvm.ptr -> vector<8xi8>
    %7 = llvm.uitofp %6 : vector<8xi8> to vector<8xf32>
    %8 = llvm.fdiv %7, %1 : vector<8xf32>
    %9 = llvm.fsub %8, %2 : vector<8xf32>
    %10 = llvm.fdiv %9, %3 : vector<8xf32>
    %11 = llvm.getelementptr %image[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %12 = llvm.intr.masked.load %11, %4, %5 {alignment = 1 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xi8>) -> vector<8xi8>
    %13 = llvm.uitofp %12 : vector<8xi8> to vector<8xf32>
    %14 = llvm.fdiv %13, %1 : vector<8xf32>
    %15 = llvm.fsub %14, %2 : vector<8xf32>
    %16 = llvm.fdiv %15, %3 : vector<8xf32>
    llvm.store %10, %0 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %17 = llvm.getelementptr %0[8] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.intr.masked.store %16, %17, %4 {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    llvm.return
  }
  llvm.func internal @linear_relu(%flatten: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 48 : i64}, %w1_weight: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 192 : i64}, %w1_bias: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 16 : i64}, %18: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 16 : i64}) attributes {no_unwind} {
    %19 = llvm.mlir.constant(0) : i64
    %20 = llvm.mlir.constant(1) : i64
    %21 = llvm.mlir.constant(dense<0.000000e+00> : vector<8xf32>) : vector<8xf32>
    %22 = llvm.mlir.constant(12) : i64
    %23 = llvm.mlir.constant(4) : i64
    %24 = llvm.mlir.constant(2) : i64
    %25 = llvm.mlir.constant(3) : i64
    %26 = llvm.mlir.constant(dense<[true, true, true, true, false, false, false, false]> : vector<8xi1>) : vector<8xi1>
    %27 = llvm.mlir.poison : vector<8xf32>
    llvm.br ^bb1(%19, %21, %21, %21, %21 : i64, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
  ^bb1(%28: i64, %29: vector<8xf32>, %30: vector<8xf32>, %31: vector<8xf32>, %32: vector<8xf32>):
    %33 = llvm.getelementptr inbounds %w1_weight[0, %28, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<12 x !llvm.array<8 x f32>>
    %34 = llvm.load %33 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %35 = llvm.getelementptr inbounds %flatten[%28] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %36 = llvm.load %35 {alignment = 4 : i64} : !llvm.ptr -> f32
    %37 = llvm.insertelement %36, %27[%19 : i64] : vector<8xf32>
    %38 = llvm.shufflevector %37, %27 [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
    %39 = llvm.intr.fma(%38, %34, %29) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %40 = llvm.add %28, %20 : i64
    %41 = llvm.getelementptr inbounds %w1_weight[0, %40, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<12 x !llvm.array<8 x f32>>
    %42 = llvm.load %41 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %43 = llvm.getelementptr inbounds %flatten[%40] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %44 = llvm.load %43 {alignment = 4 : i64} : !llvm.ptr -> f32
    %45 = llvm.insertelement %44, %27[%19 : i64] : vector<8xf32>
    %46 = llvm.shufflevector %45, %27 [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
    %47 = llvm.intr.fma(%46, %42, %30) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %48 = llvm.add %28, %24 : i64
    %49 = llvm.getelementptr inbounds %w1_weight[0, %48, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<12 x !llvm.array<8 x f32>>
    %50 = llvm.load %49 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %51 = llvm.getelementptr inbounds %flatten[%48] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %52 = llvm.load %51 {alignment = 4 : i64} : !llvm.ptr -> f32
    %53 = llvm.insertelement %52, %27[%19 : i64] : vector<8xf32>
    %54 = llvm.shufflevector %53, %27 [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
    %55 = llvm.intr.fma(%54, %50, %31) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %56 = llvm.add %28, %25 : i64
    %57 = llvm.getelementptr inbounds %w1_weight[0, %56, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<12 x !llvm.array<8 x f32>>
    %58 = llvm.load %57 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %59 = llvm.getelementptr inbounds %flatten[%56] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %60 = llvm.load %59 {alignment = 4 : i64} : !llvm.ptr -> f32
    %61 = llvm.insertelement %60, %27[%19 : i64] : vector<8xf32>
    %62 = llvm.shufflevector %61, %27 [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
    %63 = llvm.intr.fma(%62, %58, %32) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %64 = llvm.add %28, %23 overflow<nsw> : i64
    %65 = llvm.icmp "slt" %64, %22 : i64
    llvm.cond_br %65, ^bb1(%64, %39, %47, %55, %63 : i64, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>), ^bb2(%39, %47, %55, %63 : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
  ^bb2(%66: vector<8xf32>, %67: vector<8xf32>, %68: vector<8xf32>, %69: vector<8xf32>):
    %70 = llvm.fadd %66, %67 : vector<8xf32>
    %71 = llvm.fadd %70, %68 : vector<8xf32>
    %72 = llvm.fadd %71, %69 : vector<8xf32>
    %73 = llvm.intr.masked.load %w1_bias, %26, %21 {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    %74 = llvm.fadd %72, %73 : vector<8xf32>
    %75 = llvm.intr.maximum(%74, %21) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    llvm.intr.masked.store %75, %18, %26 {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    llvm.return
  }
  llvm.func internal @reduce_max_sub_exp_more(%relu: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 16 : i64}, %76: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 16 : i64}) attributes {no_unwind} {
    %77 = llvm.mlir.constant(dense<-1.040000e+02> : vector<8xf32>) : vector<8xf32>
    %78 = llvm.mlir.constant(dense<8.900000e+01> : vector<8xf32>) : vector<8xf32>
    %79 = llvm.mlir.constant(dense<0x4B400000> : vector<8xf32>) : vector<8xf32>
    %80 = llvm.mlir.constant(dense<1.44269502> : vector<8xf32>) : vector<8xf32>
    %81 = llvm.mlir.constant(dense<-0.693145752> : vector<8xf32>) : vector<8xf32>
    %82 = llvm.mlir.constant(dense<-1.42860677e-06> : vector<8xf32>) : vector<8xf32>
    %83 = llvm.mlir.constant(dense<0.000198909809> : vector<8xf32>) : vector<8xf32>
    %84 = llvm.mlir.constant(dense<0.00139336416> : vector<8xf32>) : vector<8xf32>
    %85 = llvm.mlir.constant(dense<0.00833331048> : vector<8xf32>) : vector<8xf32>
    %86 = llvm.mlir.constant(dense<0.0416664667> : vector<8xf32>) : vector<8xf32>
    %87 = llvm.mlir.constant(dense<0.166666672> : vector<8xf32>) : vector<8xf32>
    %88 = llvm.mlir.constant(dense<5.000000e-01> : vector<8xf32>) : vector<8xf32>
    %89 = llvm.mlir.constant(dense<1.000000e+00> : vector<8xf32>) : vector<8xf32>
    %90 = llvm.mlir.constant(dense<1> : vector<8xi32>) : vector<8xi32>
    %91 = llvm.mlir.constant(dense<127> : vector<8xi32>) : vector<8xi32>
    %92 = llvm.mlir.constant(dense<23> : vector<8xi32>) : vector<8xi32>
    %93 = llvm.mlir.constant(0) : i64
    %94 = llvm.mlir.constant(0xff800000 : f32) : f32
    %95 = llvm.mlir.poison : vector<8xf32>
    %96 = llvm.mlir.constant(dense<[true, true, true, true, false, false, false, false]> : vector<8xi1>) : vector<8xi1>
    %97 = llvm.mlir.constant(dense<0.000000e+00> : vector<8xf32>) : vector<8xf32>
    %98 = llvm.mlir.constant(1) : i64
    %99 = llvm.alloca %98 x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr
    %100 = llvm.mlir.constant(0.000000e+00 : f32) : f32
    %101 = llvm.mlir.constant(-0.000000e+00 : f32) : f32
    %102 = llvm.alloca %98 x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr
    %103 = llvm.insertelement %94, %95[%93 : i64] : vector<8xf32>
    %104 = llvm.shufflevector %103, %95 [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
    %105 = llvm.intr.masked.load %relu, %96, %97 {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    %106 = llvm.intr.maximum(%105, %104) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %107 = llvm.select %96, %106, %104 : vector<8xi1>, vector<8xf32>
    %108 = llvm.intr.vector.reduce.fmaximum(%107) {fastmathFlags = #llvm.fastmath<reassoc>} : (vector<8xf32>) -> f32
    %109 = llvm.intr.maximum(%94, %108) : (f32, f32) -> f32
    %110 = llvm.intr.masked.load %relu, %96, %97 {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    %111 = llvm.insertelement %109, %95[%93 : i64] : vector<8xf32>
    %112 = llvm.shufflevector %111, %95 [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
    %113 = llvm.fsub %110, %112 : vector<8xf32>
    %114 = llvm.fcmp "olt" %113, %77 : vector<8xf32>
    %115 = llvm.select %114, %77, %113 : vector<8xi1>, vector<8xf32>
    %116 = llvm.fcmp "ogt" %115, %78 : vector<8xf32>
    %117 = llvm.select %116, %78, %115 : vector<8xi1>, vector<8xf32>
    %118 = llvm.intr.fma(%117, %80, %79) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %119 = llvm.bitcast %118 : vector<8xf32> to vector<8xi32>
    %120 = llvm.bitcast %79 : vector<8xf32> to vector<8xi32>
    %121 = llvm.sub %119, %120 : vector<8xi32>
    %122 = llvm.fsub %118, %79 : vector<8xf32>
    %123 = llvm.intr.fma(%122, %81, %117) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %124 = llvm.intr.fma(%122, %82, %123) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %125 = llvm.intr.fma(%83, %124, %84) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %126 = llvm.intr.fma(%125, %124, %85) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %127 = llvm.intr.fma(%126, %124, %86) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %128 = llvm.intr.fma(%127, %124, %87) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %129 = llvm.intr.fma(%128, %124, %88) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %130 = llvm.fmul %124, %124 : vector<8xf32>
    %131 = llvm.intr.fma(%130, %129, %124) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %132 = llvm.fadd %131, %89 : vector<8xf32>
    %133 = llvm.ashr %121, %90 : vector<8xi32>
    %134 = llvm.sub %121, %133 : vector<8xi32>
    %135 = llvm.add %133, %91 : vector<8xi32>
    %136 = llvm.shl %135, %92 : vector<8xi32>
    %137 = llvm.bitcast %136 : vector<8xi32> to vector<8xf32>
    %138 = llvm.fmul %132, %137 : vector<8xf32>
    %139 = llvm.add %134, %91 : vector<8xi32>
    %140 = llvm.shl %139, %92 : vector<8xi32>
    %141 = llvm.bitcast %140 : vector<8xi32> to vector<8xf32>
    %142 = llvm.fmul %138, %141 : vector<8xf32>
    llvm.intr.masked.store %142, %76, %96 {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    %143 = llvm.fadd %97, %142 : vector<8xf32>
    %144 = llvm.select %96, %143, %97 : vector<8xi1>, vector<8xf32>
    %145 = "llvm.intr.vector.reduce.fadd"(%101, %144) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<8xf32>) -> f32
    %146 = llvm.fadd %100, %145 : f32
    %147 = llvm.intr.masked.load %76, %96, %97 {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    %148 = llvm.insertelement %146, %95[%93 : i64] : vector<8xf32>
    %149 = llvm.shufflevector %148, %95 [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
    %150 = llvm.fdiv %147, %149 : vector<8xf32>
    llvm.intr.masked.store %150, %76, %96 {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    llvm.return
  }
  llvm.func internal @argmax(%relu_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 16 : i64}, %151: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 8 : i64}) attributes {no_unwind} {
    %152 = llvm.mlir.constant(0) : i64
    %153 = llvm.mlir.constant(0xff800000 : f32) : f32
    %154 = llvm.mlir.poison : vector<8xf32>
    %155 = llvm.mlir.constant(dense<0> : vector<8xi64>) : vector<8xi64>
    %156 = llvm.mlir.constant(dense<[true, true, true, true, false, false, false, false]> : vector<8xi1>) : vector<8xi1>
    %157 = llvm.mlir.constant(dense<0.000000e+00> : vector<8xf32>) : vector<8xf32>
    %158 = llvm.mlir.constant(dense<9223372036854775807> : vector<8xi64>) : vector<8xi64>
    %159 = llvm.mlir.constant(1) : i64
    %160 = llvm.mlir.constant(dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi64>) : vector<8xi64>
    %161 = llvm.alloca %159 x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr
    %162 = llvm.insertelement %153, %154[%152 : i64] : vector<8xf32>
    %163 = llvm.shufflevector %162, %154 [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
    %164 = llvm.intr.masked.load %relu_1, %156, %157 {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    %165 = llvm.fcmp "ugt" %164, %163 : vector<8xf32>
    %166 = llvm.fcmp "ord" %163, %163 : vector<8xf32>
    %167 = llvm.and %165, %166 : vector<8xi1>
    %168 = llvm.add %155, %160 : vector<8xi64>
    %169 = llvm.select %167, %164, %163 : vector<8xi1>, vector<8xf32>
    %170 = llvm.select %167, %168, %155 : vector<8xi1>, vector<8xi64>
    %171 = llvm.select %156, %169, %163 : vector<8xi1>, vector<8xf32>
    %172 = llvm.select %156, %170, %155 : vector<8xi1>, vector<8xi64>
    %173 = llvm.intr.vector.reduce.fmaximum(%171) {fastmathFlags = #llvm.fastmath<reassoc>} : (vector<8xf32>) -> f32
    %174 = llvm.insertelement %173, %154[%152 : i64] : vector<8xf32>
    %175 = llvm.shufflevector %174, %154 [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
    %176 = llvm.fcmp "oeq" %171, %175 : vector<8xf32>
    %177 = llvm.fcmp "uno" %171, %171 : vector<8xf32>
    %178 = llvm.or %176, %177 : vector<8xi1>
    %179 = llvm.select %178, %172, %158 : vector<8xi1>, vector<8xi64>
    %180 = llvm.intr.vector.reduce.smin(%179) : (vector<8xi64>) -> i64
    llvm.store %180, %151 {alignment = 8 : i64} : i64, !llvm.ptr
    llvm.return
  }
  func.func private @prepare() -> tensor<1x12x8xf32> {
    %181 = nn.weight @model.1.weight hash "6a9fe95ea6d1680d" : tensor<4x12xf32>
    %182 = nn.pack %181 as <[0, 1], [8, 1]> : (tensor<4x12xf32>) -> tensor<1x12x8xf32>
    func.return %182 : tensor<1x12x8xf32>
  }
  llvm.func internal @segment_0(%image_1: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 12 : i64}, %w1_weight_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 192 : i64}, %w1_bias_1: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 16 : i64}, %normalize: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 48 : i64}, %relu_2: !llvm.ptr {llvm.align = 64 : i64, llvm.noundef, llvm.nonnull, llvm.dereferenceable = 16 : i64}, %probabilities: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 16 : i64}, %label: !llvm.ptr {llvm.noundef, llvm.nonnull, llvm.dereferenceable = 8 : i64}) attributes {no_unwind} {
    llvm.call @cast_div_sub(%image_1, %normalize) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.call @linear_relu(%normalize, %w1_weight_1, %w1_bias_1, %relu_2) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.call @reduce_max_sub_exp_more(%relu_2, %probabilities) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.call @argmax(%relu_2, %label) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @segment_0_entry(%table: !llvm.ptr) attributes {no_unwind} {
    %181 = llvm.load %table {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %182 = llvm.getelementptr inbounds %table[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %183 = llvm.load %182 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %184 = llvm.getelementptr inbounds %table[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %185 = llvm.load %184 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %186 = llvm.getelementptr inbounds %table[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %187 = llvm.load %186 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %188 = llvm.getelementptr inbounds %table[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %189 = llvm.load %188 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %190 = llvm.getelementptr inbounds %table[5] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %191 = llvm.load %190 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %192 = llvm.getelementptr inbounds %table[6] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %193 = llvm.load %192 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    llvm.call @segment_0(%181, %183, %185, %187, %189, %191, %193) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
}
