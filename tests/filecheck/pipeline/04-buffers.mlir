// RUN: devproc-opt %s --from-stage buffers --to-stage cpu | filecheck %s

// The memory plan: one arena, two buffers, and the steps over which each is live. Kernels
// overwrite their last arguments. The next stage writes each kernel as loops over vectors,
// by the schedule of its family.

// CHECK:      func.func private @cast_div_sub
// CHECK-NOT:    linalg.
// CHECK:        vector.load {{.*}} vector<8xi8>
// CHECK:      func.func private @linear_relu
// CHECK:        scf.for
// CHECK:          vector.load {{.*}} memref<1x12x8xf32
// CHECK:          vector.fma

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
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%image : memref<3x4x1xi8, #dev.on<"cpu">>) outs(%0 : memref<3x4x1xf32, #dev.on<"cpu">>) {
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
  func.func private @linear_relu(%flatten: memref<1x12xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %w1_weight: memref<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>> {llvm.align = 64 : i64, llvm.noalias}, %w1_bias: memref<4xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x4xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear", "nn.relu"]>} {
    %1 = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%1 : f32) outs(%0 : memref<1x4xf32, #dev.on<"cpu">>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%flatten, %w1_weight : memref<1x12xf32, #dev.on<"cpu">>, memref<4x12xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>) outs(%0 : memref<1x4xf32, #dev.on<"cpu">>) {
    ^bb0(%2: f32, %3: f32, %4: f32):
      %5 = arith.mulf %2, %3 : f32
      %6 = arith.addf %4, %5 : f32
      linalg.yield %6 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%0, %w1_bias : memref<1x4xf32, #dev.on<"cpu">>, memref<4xf32, #dev.on<"cpu">>) outs(%0 : memref<1x4xf32, #dev.on<"cpu">>) {
    ^bb0(%7: f32, %8: f32, %9: f32):
      %10 = arith.addf %7, %8 : f32
      %11 = arith.constant 0.000000e+00 : f32
      %12 = arith.maximumf %10, %11 : f32
      linalg.yield %12 : f32
    }
    func.return
  }
  func.func private @reduce_max_sub_exp_more(%relu: memref<1x4xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1x4xf32, #dev.on<"cpu">> {llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_max", "nn.sub", "nn.exp", "nn.reduce_sum", "nn.div"]>} {
    %1 = arith.constant 0xff800000 : f32
    %2 = memref.alloca() {alignment = 64 : i64} : memref<1x1xf32, #dev.on<"cpu">>
    linalg.fill ins(%1 : f32) outs(%2 : memref<1x1xf32, #dev.on<"cpu">>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%relu : memref<1x4xf32, #dev.on<"cpu">>) outs(%2 : memref<1x1xf32, #dev.on<"cpu">>) {
    ^bb0(%3: f32, %4: f32):
      %5 = arith.maximumf %3, %4 : f32
      linalg.yield %5 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%relu, %2 : memref<1x4xf32, #dev.on<"cpu">>, memref<1x1xf32, #dev.on<"cpu">>) outs(%0 : memref<1x4xf32, #dev.on<"cpu">>) {
    ^bb0(%6: f32, %7: f32, %8: f32):
      %9 = arith.subf %6, %7 : f32
      %10 = math.exp %9 : f32
      linalg.yield %10 : f32
    }
    %11 = arith.constant 0.000000e+00 : f32
    %12 = memref.alloca() {alignment = 64 : i64} : memref<1x1xf32, #dev.on<"cpu">>
    linalg.fill ins(%11 : f32) outs(%12 : memref<1x1xf32, #dev.on<"cpu">>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%0 : memref<1x4xf32, #dev.on<"cpu">>) outs(%12 : memref<1x1xf32, #dev.on<"cpu">>) {
    ^bb0(%13: f32, %14: f32):
      %15 = arith.addf %14, %13 : f32
      linalg.yield %15 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%0, %12 : memref<1x4xf32, #dev.on<"cpu">>, memref<1x1xf32, #dev.on<"cpu">>) outs(%0 : memref<1x4xf32, #dev.on<"cpu">>) {
    ^bb0(%16: f32, %17: f32, %18: f32):
      %19 = arith.divf %16, %17 : f32
      linalg.yield %19 : f32
    }
    func.return
  }
  func.func private @argmax(%relu: memref<1x4xf32, #dev.on<"cpu">> {llvm.align = 64 : i64, llvm.noalias}, %0: memref<1xi64, #dev.on<"cpu">> {llvm.noalias}) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.argmax"]>} {
    %1 = arith.constant 0xff800000 : f32
    %2 = arith.constant 0 : i64
    %3 = memref.alloca() {alignment = 64 : i64} : memref<1xf32, #dev.on<"cpu">>
    linalg.fill ins(%1 : f32) outs(%3 : memref<1xf32, #dev.on<"cpu">>)
    linalg.fill ins(%2 : i64) outs(%0 : memref<1xi64, #dev.on<"cpu">>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%relu : memref<1x4xf32, #dev.on<"cpu">>) outs(%3, %0 : memref<1xf32, #dev.on<"cpu">>, memref<1xi64, #dev.on<"cpu">>) {
    ^bb0(%4: f32, %5: f32, %6: i64):
      %7 = arith.cmpf ugt, %4, %5 : f32
      %8 = arith.cmpf ord, %5, %5 : f32
      %9 = arith.andi %7, %8 : i1
      %10 = linalg.index 1 : index
      %11 = arith.index_cast %10 : index to i64
      %12 = arith.select %9, %4, %5 : f32
      %13 = arith.select %9, %11, %6 : i64
      linalg.yield %12, %13 : f32, i64
    }
    func.return
  }
  func.func private @prepare() -> tensor<1x12x8xf32> {
    %0 = nn.weight @model.1.weight hash "6a9fe95ea6d1680d" : tensor<4x12xf32>
    %1 = nn.pack %0 as <[0, 1], [8, 1]> : (tensor<4x12xf32>) -> tensor<1x12x8xf32>
    func.return %1 : tensor<1x12x8xf32>
  }
}
