// RUN: devproc-opt %s --from-stage cpu --to-stage gpu | filecheck %s

// Loops and vectors of 256 bits; what does not fill a vector is masked. The next stage
// finds no kernel for a GPU and changes nothing.

// CHECK:      func.func private @linear_relu
// CHECK-NOT:  triton.

builtin.module attributes {devproc.name = "classify", devproc.target = #dev.target<"cpu", vector_bits = 256, threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
  func.func @main(%image: memref<3x4x1xi8, #dev.on<"cpu">> {dev.name = "image", dev.dtype = "uint8", dev.role = "input"}, %probabilities: memref<1x4xf32, #dev.on<"cpu">> {dev.name = "probabilities", dev.role = "output"}, %label: memref<1xi64, #dev.on<"cpu">> {dev.name = "label", dev.role = "output"}) {
    %cpu_arena = plan.arena "cpu" : memref<128xi8, #dev.on<"cpu">>
    %normalize = plan.buffer %cpu_arena id 0 offset 0 bytes 48 live 0 to 1 : memref<128xi8, #dev.on<"cpu">> -> memref<3x4x1xf32, #dev.on<"cpu">>
    %relu = plan.buffer %cpu_arena id 1 offset 64 bytes 16 live 1 to 3 : memref<128xi8, #dev.on<"cpu">> -> memref<1x4xf32, #dev.on<"cpu">>
    %w1_bias = plan.weight @model.1.bias hash "ccd76d5e4b81be61" : memref<4xf32, #dev.on<"cpu">>
    plan.launch @cast_div_sub(%image) -> (%normalize) {plan.step = 0 : i64} : (memref<3x4x1xi8, #dev.on<"cpu">>) -> (memref<3x4x1xf32, #dev.on<"cpu">>)
    %flatten = plan.view %normalize : memref<3x4x1xf32, #dev.on<"cpu">> -> memref<1x12xf32, #dev.on<"cpu">>
    %w1_weight = plan.weight @prepare.0 hash "442ecd2ab4dfaf97" : memref<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>
    plan.launch @linear_relu(%flatten, %w1_weight, %w1_bias) -> (%relu) {plan.step = 1 : i64} : (memref<1x12xf32, #dev.on<"cpu">>, memref<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>, memref<4xf32, #dev.on<"cpu">>) -> (memref<1x4xf32, #dev.on<"cpu">>)
    plan.launch @reduce_max_sub_exp_more(%relu) -> (%probabilities) {plan.step = 2 : i64} : (memref<1x4xf32, #dev.on<"cpu">>) -> (memref<1x4xf32, #dev.on<"cpu">>)
    plan.launch @argmax(%relu) -> (%label) {plan.step = 3 : i64} : (memref<1x4xf32, #dev.on<"cpu">>) -> (memref<1xi64, #dev.on<"cpu">>)
    func.return
  }
  func.func private @cast_div_sub(%image: memref<3x4x1xi8, #dev.on<"cpu">> {llvm.noalias}, %0: memref<3x4x1xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.cast", "nn.div", "nn.sub"]>} {
    %1 = arith.constant 0 : index
    %2 = plan.view %image : memref<3x4x1xi8, #dev.on<"cpu">> -> memref<12xi8, #dev.on<"cpu">>
    %3 = plan.view %0 : memref<3x4x1xf32, #dev.on<"cpu">> -> memref<12xf32, #dev.on<"cpu">>
    %4 = arith.constant 8 : index
    %5 = arith.constant 2.550000e+02 : f32
    %6 = arith.constant dense<2.550000e+02> : vector<8xf32>
    %7 = arith.constant 5.000000e-01 : f32
    %8 = arith.constant dense<5.000000e-01> : vector<8xf32>
    %9 = arith.constant 2.500000e-01 : f32
    %10 = arith.constant dense<2.500000e-01> : vector<8xf32>
    %11 = arith.constant dense<[true, true, true, true, false, false, false, false]> : vector<8xi1>
    %12 = arith.constant dense<1> : vector<8xi8>
    %13 = vector.load %2[%1] : memref<12xi8, #dev.on<"cpu">>, vector<8xi8>
    %14 = simd.uitofp %13 : vector<8xi8> to vector<8xf32>
    %15 = arith.divf %14, %6 : vector<8xf32>
    %16 = arith.subf %15, %8 : vector<8xf32>
    %17 = arith.divf %16, %10 : vector<8xf32>
    %18 = vector.maskedload %2[%4], %11, %12 : memref<12xi8, #dev.on<"cpu">>, vector<8xi1>, vector<8xi8> into vector<8xi8>
    %19 = simd.uitofp %18 : vector<8xi8> to vector<8xf32>
    %20 = arith.divf %19, %6 : vector<8xf32>
    %21 = arith.subf %20, %8 : vector<8xf32>
    %22 = arith.divf %21, %10 : vector<8xf32>
    vector.store %17, %3[%1] : memref<12xf32, #dev.on<"cpu">>, vector<8xf32>
    vector.maskedstore %3[%4], %11, %22 : memref<12xf32, #dev.on<"cpu">>, vector<8xi1>, vector<8xf32>
    func.return
  }
  func.func private @linear_relu(%flatten: memref<1x12xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %w1_weight: memref<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>> {llvm.align = 64 : i64, llvm.noalias}, %w1_bias: memref<4xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x4xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear", "nn.relu"]>} {
    %1 = arith.constant 0 : index
    %2 = plan.view %flatten : memref<1x12xf32, #dev.on<"cpu">> -> memref<12xf32, #dev.on<"cpu">>
    %3 = plan.view %0 : memref<1x4xf32, #dev.on<"cpu">> -> memref<4xf32, #dev.on<"cpu">>
    %4 = plan.view %w1_weight : memref<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>> -> memref<1x12x8xf32, #dev.on<"cpu">>
    %5 = arith.constant 1 : index
    %6 = arith.constant 8 : index
    %7 = arith.constant dense<0.000000e+00> : vector<8xf32>
    %8 = arith.constant 12 : index
    %9 = arith.constant 4 : index
    %10 = arith.constant 2 : index
    %11 = arith.constant 3 : index
    %12 = arith.constant dense<[true, true, true, true, false, false, false, false]> : vector<8xi1>
    %13 = arith.constant 0.000000e+00 : f32
    %14 = arith.constant 0.000000e+00 : f32
    %15, %16, %17, %18 = scf.for %19 = %1 to %8 step %9 iter_args(%20 = %7, %21 = %7, %22 = %7, %23 = %7) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
      %24 = vector.load %4[%1, %19, %1] : memref<1x12x8xf32, #dev.on<"cpu">>, vector<8xf32>
      %25 = memref.load %2[%19] : memref<12xf32, #dev.on<"cpu">>
      %26 = vector.broadcast %25 : f32 to vector<8xf32>
      %27 = vector.fma %26, %24, %20 : vector<8xf32>
      %28 = arith.addi %19, %5 : index
      %29 = vector.load %4[%1, %28, %1] : memref<1x12x8xf32, #dev.on<"cpu">>, vector<8xf32>
      %30 = memref.load %2[%28] : memref<12xf32, #dev.on<"cpu">>
      %31 = vector.broadcast %30 : f32 to vector<8xf32>
      %32 = vector.fma %31, %29, %21 : vector<8xf32>
      %33 = arith.addi %19, %10 : index
      %34 = vector.load %4[%1, %33, %1] : memref<1x12x8xf32, #dev.on<"cpu">>, vector<8xf32>
      %35 = memref.load %2[%33] : memref<12xf32, #dev.on<"cpu">>
      %36 = vector.broadcast %35 : f32 to vector<8xf32>
      %37 = vector.fma %36, %34, %22 : vector<8xf32>
      %38 = arith.addi %19, %11 : index
      %39 = vector.load %4[%1, %38, %1] : memref<1x12x8xf32, #dev.on<"cpu">>, vector<8xf32>
      %40 = memref.load %2[%38] : memref<12xf32, #dev.on<"cpu">>
      %41 = vector.broadcast %40 : f32 to vector<8xf32>
      %42 = vector.fma %41, %39, %23 : vector<8xf32>
      scf.yield %27, %32, %37, %42 : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
    }
    %43 = arith.addf %15, %16 : vector<8xf32>
    %44 = arith.addf %43, %17 : vector<8xf32>
    %45 = arith.addf %44, %18 : vector<8xf32>
    %46 = vector.maskedload %w1_bias[%1], %12, %7 : memref<4xf32, #dev.on<"cpu">>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %47 = arith.addf %45, %46 : vector<8xf32>
    %48 = arith.maximumf %47, %7 : vector<8xf32>
    vector.maskedstore %3[%1], %12, %48 : memref<4xf32, #dev.on<"cpu">>, vector<8xi1>, vector<8xf32>
    func.return
  }
  func.func private @reduce_max_sub_exp_more(%relu: memref<1x4xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x4xf32, #dev.on<"cpu">> {llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_max", "nn.sub", "nn.exp", "nn.reduce_sum", "nn.div"]>} {
    %1 = arith.constant dense<-1.040000e+02> : vector<8xf32>
    %2 = arith.constant dense<8.900000e+01> : vector<8xf32>
    %3 = arith.constant dense<0x4B400000> : vector<8xf32>
    %4 = arith.constant dense<1.44269502> : vector<8xf32>
    %5 = arith.constant dense<-0.693145752> : vector<8xf32>
    %6 = arith.constant dense<-1.42860677e-06> : vector<8xf32>
    %7 = arith.constant dense<0.000198909809> : vector<8xf32>
    %8 = arith.constant dense<0.00139336416> : vector<8xf32>
    %9 = arith.constant dense<0.00833331048> : vector<8xf32>
    %10 = arith.constant dense<0.0416664667> : vector<8xf32>
    %11 = arith.constant dense<0.166666672> : vector<8xf32>
    %12 = arith.constant dense<5.000000e-01> : vector<8xf32>
    %13 = arith.constant dense<1.000000e+00> : vector<8xf32>
    %14 = arith.constant dense<1> : vector<8xi32>
    %15 = arith.constant dense<127> : vector<8xi32>
    %16 = arith.constant dense<23> : vector<8xi32>
    %17 = arith.constant 0 : index
    %18 = plan.view %relu : memref<1x4xf32, #dev.on<"cpu">> -> memref<4xf32, #dev.on<"cpu">>
    %19 = plan.view %0 : memref<1x4xf32, #dev.on<"cpu">> -> memref<4xf32, #dev.on<"cpu">>
    %20 = arith.constant dense<0xff800000> : vector<8xf32>
    %21 = arith.constant dense<[true, true, true, true, false, false, false, false]> : vector<8xi1>
    %22 = arith.constant dense<0.000000e+00> : vector<8xf32>
    %23 = arith.constant 0xff800000 : f32
    %24 = memref.alloca() {alignment = 64 : i64} : memref<1x1xf32, #dev.on<"cpu">>
    %25 = arith.constant 0.000000e+00 : f32
    %26 = memref.alloca() {alignment = 64 : i64} : memref<1x1xf32, #dev.on<"cpu">>
    %27 = plan.view %24 : memref<1x1xf32, #dev.on<"cpu">> -> memref<f32, #dev.on<"cpu">>
    %28 = plan.view %24 : memref<1x1xf32, #dev.on<"cpu">> -> memref<f32, #dev.on<"cpu">>
    %29 = plan.view %26 : memref<1x1xf32, #dev.on<"cpu">> -> memref<f32, #dev.on<"cpu">>
    %30 = plan.view %26 : memref<1x1xf32, #dev.on<"cpu">> -> memref<f32, #dev.on<"cpu">>
    %31 = vector.maskedload %18[%17], %21, %22 : memref<4xf32, #dev.on<"cpu">>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %32 = arith.maximumf %31, %20 : vector<8xf32>
    %33 = simd.select %21, %32, %20 : vector<8xi1>, vector<8xf32>
    %34 = vector.reduction <maximumf>, %33 fastmath<reassoc> : vector<8xf32> into f32
    %35 = arith.maximumf %23, %34 : f32
    %36 = vector.maskedload %18[%17], %21, %22 : memref<4xf32, #dev.on<"cpu">>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %37 = vector.broadcast %35 : f32 to vector<8xf32>
    %38 = arith.subf %36, %37 : vector<8xf32>
    %39 = simd.cmpf olt, %38, %1 : vector<8xf32> -> vector<8xi1>
    %40 = simd.select %39, %1, %38 : vector<8xi1>, vector<8xf32>
    %41 = simd.cmpf ogt, %40, %2 : vector<8xf32> -> vector<8xi1>
    %42 = simd.select %41, %2, %40 : vector<8xi1>, vector<8xf32>
    %43 = vector.fma %42, %4, %3 : vector<8xf32>
    %44 = arith.bitcast %43 : vector<8xf32> to vector<8xi32>
    %45 = arith.bitcast %3 : vector<8xf32> to vector<8xi32>
    %46 = arith.subi %44, %45 : vector<8xi32>
    %47 = arith.subf %43, %3 : vector<8xf32>
    %48 = vector.fma %47, %5, %42 : vector<8xf32>
    %49 = vector.fma %47, %6, %48 : vector<8xf32>
    %50 = vector.fma %7, %49, %8 : vector<8xf32>
    %51 = vector.fma %50, %49, %9 : vector<8xf32>
    %52 = vector.fma %51, %49, %10 : vector<8xf32>
    %53 = vector.fma %52, %49, %11 : vector<8xf32>
    %54 = vector.fma %53, %49, %12 : vector<8xf32>
    %55 = arith.mulf %49, %49 : vector<8xf32>
    %56 = vector.fma %55, %54, %49 : vector<8xf32>
    %57 = arith.addf %56, %13 : vector<8xf32>
    %58 = arith.shrsi %46, %14 : vector<8xi32>
    %59 = arith.subi %46, %58 : vector<8xi32>
    %60 = arith.addi %58, %15 : vector<8xi32>
    %61 = arith.shli %60, %16 : vector<8xi32>
    %62 = arith.bitcast %61 : vector<8xi32> to vector<8xf32>
    %63 = arith.mulf %57, %62 : vector<8xf32>
    %64 = arith.addi %59, %15 : vector<8xi32>
    %65 = arith.shli %64, %16 : vector<8xi32>
    %66 = arith.bitcast %65 : vector<8xi32> to vector<8xf32>
    %67 = arith.mulf %63, %66 : vector<8xf32>
    vector.maskedstore %19[%17], %21, %67 : memref<4xf32, #dev.on<"cpu">>, vector<8xi1>, vector<8xf32>
    %68 = arith.addf %22, %67 : vector<8xf32>
    %69 = simd.select %21, %68, %22 : vector<8xi1>, vector<8xf32>
    %70 = vector.reduction <add>, %69 fastmath<reassoc> : vector<8xf32> into f32
    %71 = arith.addf %25, %70 : f32
    %72 = vector.maskedload %19[%17], %21, %22 : memref<4xf32, #dev.on<"cpu">>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %73 = vector.broadcast %71 : f32 to vector<8xf32>
    %74 = arith.divf %72, %73 : vector<8xf32>
    vector.maskedstore %19[%17], %21, %74 : memref<4xf32, #dev.on<"cpu">>, vector<8xi1>, vector<8xf32>
    func.return
  }
  func.func private @argmax(%relu: memref<1x4xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1xi64, #dev.on<"cpu">> {llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.argmax"]>} {
    %1 = arith.constant 0 : index
    %2 = plan.view %relu : memref<1x4xf32, #dev.on<"cpu">> -> memref<4xf32, #dev.on<"cpu">>
    %3 = plan.view %0 : memref<1xi64, #dev.on<"cpu">> -> memref<i64, #dev.on<"cpu">>
    %4 = arith.constant dense<0xff800000> : vector<8xf32>
    %5 = arith.constant dense<0> : vector<8xi64>
    %6 = arith.constant dense<[true, true, true, true, false, false, false, false]> : vector<8xi1>
    %7 = arith.constant dense<0.000000e+00> : vector<8xf32>
    %8 = arith.constant dense<0> : vector<8xindex>
    %9 = arith.constant dense<9223372036854775807> : vector<8xi64>
    %10 = arith.constant 0xff800000 : f32
    %11 = arith.constant 0 : i64
    %12 = memref.alloca() {alignment = 64 : i64} : memref<1xf32, #dev.on<"cpu">>
    %13 = plan.view %12 : memref<1xf32, #dev.on<"cpu">> -> memref<f32, #dev.on<"cpu">>
    %14 = vector.maskedload %2[%1], %6, %7 : memref<4xf32, #dev.on<"cpu">>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %15 = simd.cmpf ugt, %14, %4 : vector<8xf32> -> vector<8xi1>
    %16 = simd.cmpf ord, %4, %4 : vector<8xf32> -> vector<8xi1>
    %17 = arith.andi %15, %16 : vector<8xi1>
    %18 = simd.step : vector<8xindex>
    %19 = arith.addi %8, %18 : vector<8xindex>
    %20 = simd.index_cast %19 : vector<8xindex> to vector<8xi64>
    %21 = simd.select %17, %14, %4 : vector<8xi1>, vector<8xf32>
    %22 = simd.select %17, %20, %5 : vector<8xi1>, vector<8xi64>
    %23 = simd.select %6, %21, %4 : vector<8xi1>, vector<8xf32>
    %24 = simd.select %6, %22, %5 : vector<8xi1>, vector<8xi64>
    %25 = vector.reduction <maximumf>, %23 fastmath<reassoc> : vector<8xf32> into f32
    %26 = vector.broadcast %25 : f32 to vector<8xf32>
    %27 = simd.cmpf oeq, %23, %26 : vector<8xf32> -> vector<8xi1>
    %28 = simd.cmpf uno, %23, %23 : vector<8xf32> -> vector<8xi1>
    %29 = arith.ori %27, %28 : vector<8xi1>
    %30 = simd.select %29, %24, %9 : vector<8xi1>, vector<8xi64>
    %31 = vector.reduction <minsi>, %30 : vector<8xi64> into i64
    memref.store %31, %3[] : memref<i64, #dev.on<"cpu">>
    func.return
  }
  func.func private @prepare() -> tensor<1x12x8xf32> {
    %0 = nn.weight @model.1.weight hash "6a9fe95ea6d1680d" : tensor<4x12xf32>
    %1 = nn.pack %0 as <[0, 1], [8, 1]> : (tensor<4x12xf32>) -> tensor<1x12x8xf32>
    func.return %1 : tensor<1x12x8xf32>
  }
}
